import type { Place } from './attack.js';

/**
 * The answer of a verification: a class and the place of the finding, counted from the entry that was
 * attacked (`hash +0`), or `class @seq` where that is far away, or the class alone where no entry can be
 * named; else a verdict.
 */
export type Outcome = string;

/**
 * The outcomes that one attack has to have: `found` with the memory outside, `alone` without it where it was
 * the memory that told.
 */
export interface Expected {
  readonly found: Partial<Record<Place, Outcome>>;
  readonly alone: Partial<Record<Place, Outcome>>;
}

/** Every attack with every place where it strikes. */
export const EXPECTED: Readonly<Record<string, Expected>> = {
  '1 a byte of a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '2 a body with its own hash': {
    found: { first: 'heads_log +0', middle: 'hash +1', boundary: 'hash +1', last: 'head +0' },
    alone: { first: 'hash +1' },
  },
  '3 a body with the hashes of all after it': {
    found: { first: 'heads_log +0', middle: 'run_chain +1', boundary: 'run_chain +2', last: 'head +0' },
    alone: { first: 'run_chain +2' },
  },
  '3 a body with the hashes and the run chains of all after it': {
    found: { first: 'heads_log +0', middle: 'heads_log +158', boundary: 'heads_log +75', last: 'head +0' },
    alone: { first: 'tile +0', middle: 'tile -65', boundary: 'tile -45' },
  },
  '4 the column run alone': {
    found: { first: 'dict +0', middle: 'run_chain +0', boundary: 'run_chain +0', last: 'run_chain +0' },
    alone: {},
  },
  '4 the column ts alone': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '4 the column kind alone': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '4 the column code alone': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '4 the column ref alone': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '4 the column tool alone': {
    found: { first: 'dict +0', middle: 'dict +0', boundary: 'dict +0', last: 'dict +0' },
    alone: {},
  },
  '5 the column hash alone': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '6 an entry taken out': {
    found: { first: 'missing +0', middle: 'missing +0', boundary: 'missing +0', last: 'heads_log +0' },
    alone: { last: 'head +0' },
  },
  '7 an entry taken out, the rest renumbered and hashed': {
    found: { first: 'heads_log +0', middle: 'run_chain +0', boundary: 'run_chain +1', last: 'heads_log +0' },
    alone: { first: 'run_chain +1', last: 'head +0' },
  },
  '7 an entry taken out, the rest renumbered, hashed and linked': {
    found: {
      first: 'heads_log +0',
      middle: 'heads_log +158',
      boundary: 'heads_log +75',
      last: 'heads_log +0',
    },
    alone: { first: 'tile +0', middle: 'tile -65', boundary: 'tile -45', last: 'head +0' },
  },
  '8 the head cut off': {
    found: { first: 'missing +0', middle: 'missing @1', boundary: 'missing @1', last: 'heads_log @1' },
    alone: { last: 'head @1' },
  },
  '9 the tail cut off': {
    found: { first: 'heads_log +0', middle: 'heads_log +0', boundary: 'heads_log +0', last: 'heads_log +0' },
    alone: { first: 'head +0', middle: 'head +0', boundary: 'head +0', last: 'head +0' },
  },
  '10 the tail cut off to the nearest seal, the head signed anew with the stolen keys': {
    found: { first: 'head @1031', middle: 'head -27', boundary: 'head @5159', last: 'head -4' },
    alone: {},
  },
  '11 everything deleted': { found: { whole: 'heads_log @1' }, alone: { whole: 'head @1' } },
  '12 the file deleted, a fresh one with another key in its place': {
    found: { whole: 'genesis' },
    alone: { whole: 'unproven' },
  },
  '13 an entry put in between, the rest renumbered and hashed': {
    found: { first: 'heads_log +0', middle: 'run_chain +0', boundary: 'run_chain +0', last: 'run_chain +0' },
    alone: { first: 'run_chain +1' },
  },
  '13 an entry put in between, the rest renumbered, hashed and linked': {
    found: { first: 'heads_log +0', middle: 'heads_log +158', boundary: 'seal +1', last: 'head +0' },
    alone: { first: 'tile +0', middle: 'tile -65' },
  },
  '14 a forged entry at the end, without a hash': { found: { whole: 'hash @10319' }, alone: {} },
  '14 a forged entry at the end, hashed and linked': {
    found: { whole: 'unproven' },
    alone: { whole: 'unproven' },
  },
  '15 an entry repeated': {
    found: { first: 'hash +1', middle: 'hash +1', boundary: 'hash +1', last: 'hash +1' },
    alone: {},
  },
  '16 two entries swapped': {
    found: { first: 'hash +0', middle: 'hash @4586', boundary: 'hash @5590', last: 'hash @9718' },
    alone: {},
  },
  '17 two neighbours of one millisecond in the other order': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash -1' },
    alone: {},
  },
  '18 everything hashed and linked anew, without a key': {
    found: { whole: 'heads_log @1' },
    alone: { whole: 'tile @1' },
  },
  '19 everything written anew under keys of one’s own': {
    found: { whole: 'genesis' },
    alone: { whole: 'unproven' },
  },
  '20 a lie before the newest seal, everything after it signed anew with the stolen keys': {
    found: { first: 'heads_log +0', middle: 'heads_log +158', boundary: 'seal +0', last: 'seal +0' },
    alone: { first: 'seal @1031', middle: 'seal @6190' },
  },
  '20 a lie behind the newest seal, everything after it signed anew with the stolen keys': {
    found: { whole: 'heads_log @10502' },
    alone: { whole: 'unproven' },
  },
  '21 a seal signed again with a later key': {
    found: { first: 'hash @1031', middle: 'hash -27', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '21 a seal signed again with a later key, everything after it signed anew': {
    found: { first: 'seal @1031', middle: 'seal -27', boundary: 'seal +0', last: 'seal +0' },
    alone: {},
  },
  '22 a seal taken out, everything after it signed anew': {
    found: { first: 'heads_log @1106', middle: 'heads_log -27', boundary: 'heads_log +75', last: 'head -1' },
    alone: { first: 'seal @2063', middle: 'seal @6189', boundary: 'seal @7222' },
  },
  '22 one more seal, by the stolen key, that skips a number': { found: { whole: 'seal @10319' }, alone: {} },
  '22 one more seal, by the stolen key, that repeats a number': {
    found: { whole: 'seal @10319' },
    alone: {},
  },
  '23 one more seal, by the stolen key, of the size of the one before': {
    found: { whole: 'seal @10319' },
    alone: {},
  },
  '23 one more seal, by the stolen key, of a smaller size': { found: { whole: 'seal @10319' }, alone: {} },
  '23 one more seal, by the stolen key, of a larger size': { found: { whole: 'seal @10319' }, alone: {} },
  '23 one more seal, by the stolen key, with another root': { found: { whole: 'seal @10319' }, alone: {} },
  '23 one more seal by the stolen key, right in every way': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
  '24 every seal taken out, the head signed anew with the stolen keys': {
    found: { whole: 'heads_log @1106' },
    alone: { whole: 'head @10306' },
  },
  '24 every seal and the head taken out': { found: { whole: 'head' }, alone: {} },
  '25 the head of an older size': { found: { whole: 'head -26' }, alone: {} },
  '26 the head of another ledger, by the same keys': { found: { whole: 'head' }, alone: {} },
  '26 the head signed by another log key': { found: { whole: 'head' }, alone: {} },
  '27 rows of another ledger of the same key put in the place of ours': {
    found: { first: 'dict @5160', middle: 'dict -26', boundary: 'dict @5160', last: 'dict @5160' },
    alone: {},
  },
  "28 INSERT OR REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  "28 REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  "28 upsert by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  "28 UPDATE OR REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  "28 UPDATE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  "28 DELETE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', middle: 'ok', boundary: 'ok', last: 'ok' },
    alone: { first: 'unproven', middle: 'unproven', boundary: 'unproven', last: 'unproven' },
  },
  '29 a trigger dropped, an entry edited': {
    found: { first: 'schema', middle: 'schema', boundary: 'schema', last: 'schema' },
    alone: {},
  },
  '29 a trigger dropped, an entry edited, the trigger put back': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '30 a filtering view in place of the table': {
    found: { first: 'schema', middle: 'schema', boundary: 'schema', last: 'schema' },
    alone: {},
  },
  '31 the index e_run rebuilt to hide an entry, its text restored': {
    found: { first: 'page', middle: 'page', boundary: 'page', last: 'page' },
    alone: {},
  },
  '32 a cell taken out of a page of an index': { found: { whole: 'page' }, alone: {} },
  '32 an index with an entry that is no more': {
    found: { first: 'page', middle: 'page', boundary: 'page', last: 'page' },
    alone: {},
  },
  '33 STRICT taken off': { found: { whole: 'schema' }, alone: {} },
  '33 STRICT taken off, a number stored as text, STRICT put back': {
    found: { first: 'type', middle: 'type', boundary: 'type', last: 'type' },
    alone: {},
  },
  '33 STRICT taken off, a body stored as bytes, STRICT put back': {
    found: { first: 'type', middle: 'type', boundary: 'type', last: 'type' },
    alone: {},
  },
  '34 a NUL and more behind a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '34 a NUL behind a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '34 a space behind a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '34 a line feed behind a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '34 the separators of the page query behind a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '35 bytes that are no UTF-8 in a body': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 a key twice': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 a key twice, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '36 1.0 for 1': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 1.0 for 1, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '36 1e0 for 1': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 1e0 for 1, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '36 a minus zero, hashed anew': { found: { whole: 'column @1' }, alone: {} },
  '36 a number over 2^53': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 a number over 2^53, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '36 another order of keys': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 another order of keys, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '36 white space': {
    found: { first: 'hash +0', middle: 'hash +0', boundary: 'hash +0', last: 'hash +0' },
    alone: {},
  },
  '36 white space, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '37 a body of another version, hashed anew': {
    found: { first: 'column +0', middle: 'column +0', boundary: 'column +0', last: 'column +0' },
    alone: {},
  },
  '37 a genesis record of an older version': { found: { whole: 'genesis' }, alone: { whole: 'genesis' } },
  '38 a tile of the tree edited': {
    found: { first: 'tile +0', middle: 'tile @4865', boundary: 'tile @5889', last: 'tile @9985' },
    alone: {},
  },
  '38 a tile of the tree taken out': {
    found: { first: 'tile +0', middle: 'tile @4865', boundary: 'tile @5889', last: 'tile @9985' },
    alone: {},
  },
  '38 a tile of entries that are not there': { found: { whole: 'tile @10319' }, alone: {} },
  '39 the name of a run changed': {
    found: { first: 'dict +1', middle: 'dict -25', boundary: 'dict @2', last: 'dict @2' },
    alone: {},
  },
  '39 the name of a tool changed': { found: { whole: 'dict @3' }, alone: {} },
  '39 a name that nothing uses': { found: { whole: 'dict' }, alone: {} },
  '40 a preview with other content': {
    found: { first: 'blob +2', middle: 'blob -2', boundary: 'blob -14', last: 'blob -18' },
    alone: {},
  },
  '40 a preview with other content of the same length': {
    found: { first: 'blob +2', middle: 'blob -2', boundary: 'blob -14', last: 'blob -18' },
    alone: {},
  },
  '40 a preview with other content that is longer': {
    found: { first: 'blob +2', middle: 'blob -2', boundary: 'blob -14', last: 'blob -18' },
    alone: {},
  },
  '40 a preview with other salt': {
    found: { first: 'blob +2', middle: 'blob -2', boundary: 'blob -14', last: 'blob -18' },
    alone: {},
  },
  '40 two previews swapped': {
    found: { first: 'blob +2', middle: 'blob -6', boundary: 'blob -18', last: 'blob -22' },
    alone: {},
  },
  '40 a preview taken out, without a word': {
    found: { first: 'blob +2', middle: 'blob -2', boundary: 'blob -14', last: 'blob -18' },
    alone: {},
  },
  '41 the write-ahead log deleted': { found: { whole: 'heads_log @10319' }, alone: { whole: 'unproven' } },
  '42 the write-ahead log cut at a commit': {
    found: { whole: 'heads_log @10319' },
    alone: { whole: 'unproven' },
  },
  '43 the write-ahead log cut in the middle of a frame': {
    found: { whole: 'heads_log @10319' },
    alone: { whole: 'unproven' },
  },
  '44 a bit of the write-ahead log flipped': {
    found: { whole: 'heads_log @10504' },
    alone: { whole: 'unproven' },
  },
  '45 the write-ahead log of an older state in its place': {
    found: { whole: 'heads_log @10319' },
    alone: { whole: 'unproven' },
  },
  '46 garbage for the index of the write-ahead log': { found: { whole: 'ok' }, alone: { whole: 'unproven' } },
  '47 the file switched to a rollback journal: its log is read all the same': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
  '47 a hot journal planted that would put pages back: whoever only reads refuses the file': {
    found: { whole: 'unchecked' },
    alone: {},
  },
  '48 bits flipped all over the file: a contradiction, or not a byte of what it says differs': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
  '49 a page of a long body damaged': { found: { whole: 'hash @10319' }, alone: {} },
  '49 the list of free pages damaged': { found: { whole: 'ok' }, alone: { whole: 'unproven' } },
  '50 the whole folder put back to an older state': {
    found: { whole: 'heads_log -26' },
    alone: { whole: 'unproven' },
  },
  '51 an older database under the present keys': {
    found: { whole: 'heads_log -26' },
    alone: { whole: 'seal -26' },
  },
  '51 the key in force replaced': { found: { whole: 'seal @10319' }, alone: {} },
  '53 heads.log deleted': { found: { whole: 'unproven' }, alone: { whole: 'unproven' } },
  '53 heads.log cut to its first half': { found: { whole: 'unproven' }, alone: { whole: 'unproven' } },
  '53 heads.log with a root of it changed': {
    found: { whole: 'heads_log -27' },
    alone: { whole: 'unproven' },
  },
  '53 heads.log with a size of it changed': {
    found: { whole: 'heads_log -26' },
    alone: { whole: 'unproven' },
  },
  '53 heads.log with a line of garbage': { found: { whole: 'heads_log' }, alone: { whole: 'unproven' } },
  '53 heads.log with a line for a ledger that is longer': {
    found: { whole: 'heads_log @10319' },
    alone: { whole: 'unproven' },
  },
  '53 heads.log with the fingerprint of another ledger': {
    found: { whole: 'genesis' },
    alone: { whole: 'unproven' },
  },
  '54 a copy that went on by itself, shown with our memory': {
    found: { whole: 'heads_log +158' },
    alone: { whole: 'unproven' },
  },
  '55 a result of nothing, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a second result of a call, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result that reports on another result, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result of a call that was only asked for, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result of a call that comes later, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result of itself, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result of an action as that of a call, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a result of a call of another run, hashed and linked anew': {
    found: { first: 'pairing @400', middle: 'pairing +0', boundary: 'pairing -1', last: 'pairing -5' },
    alone: {},
  },
  '55 a pending entry backdated, hashed and linked anew': {
    found: { first: 'heads_log +184', middle: 'heads_log +158', boundary: 'seal +0', last: 'seal -4' },
    alone: { first: 'tile +0', middle: 'tile -65' },
  },
  '56 the result that says that an action was cut off, taken out again': {
    found: { whole: 'heads_log @10501' },
    alone: { whole: 'head @10501' },
  },
  '57 two writers at once: the one that was overtaken notices and writes nothing': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
  '58 verification while a writer writes: never a false alarm': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
  '59 a clock that jumps by a year, forth and back, across a start': {
    found: { whole: 'ok' },
    alone: { whole: 'unproven' },
  },
};

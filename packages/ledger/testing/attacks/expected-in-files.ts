import type { Expected, Outcome } from './expected.js';

/** The same at all five places, whatever is remembered outside. */
const all = (outcome: Outcome): Expected => ({
  found: { first: outcome, inside: outcome, closing: outcome, opening: outcome, last: outcome },
  alone: {},
});

/** Every attack on rows of a ledger of several files, with every place where it strikes. */
export const EXPECTED_IN_FILES: Readonly<Record<string, Expected>> = {
  '1 a byte of a body': all('hash +0'),
  '2 a body with its own hash': {
    found: {
      first: 'heads_log +0',
      inside: 'hash +1',
      closing: 'head +0',
      opening: 'heads_log +0',
      last: 'head +0',
    },
    alone: { first: 'hash +1', opening: 'hash +1' },
  },
  '3 a body with the hashes of all after it': {
    found: {
      first: 'heads_log +0',
      inside: 'run_chain +1',
      closing: 'head +0',
      opening: 'heads_log +0',
      last: 'head +0',
    },
    alone: { first: 'run_chain +1', opening: 'run_chain +2' },
  },
  '3 a body with the hashes and the run chains of all after it': {
    found: {
      first: 'heads_log +0',
      inside: 'heads_log +39',
      closing: 'head +0',
      opening: 'heads_log +0',
      last: 'head +0',
    },
    alone: { first: 'tile +0', inside: 'tile -60', opening: 'tile -68' },
  },
  '4 the column run alone': all('dict +0'),
  '4 the column ts alone': all('column +0'),
  '4 the column kind alone': all('column +0'),
  '4 the column code alone': all('column +0'),
  '4 the column ref alone': all('column +0'),
  '4 the column tool alone': all('dict +0'),
  '5 the column hash alone': all('hash +0'),
  '6 an entry taken out': {
    found: {
      first: 'missing +0',
      inside: 'missing +0',
      closing: 'missing +0',
      opening: 'missing +0',
      last: 'heads_log +0',
    },
    alone: { last: 'head +0' },
  },
  '7 an entry taken out, the rest renumbered and hashed': {
    found: {
      first: 'run_chain +0',
      inside: 'run_chain +0',
      closing: 'missing +0',
      opening: 'segment +0',
      last: 'heads_log +0',
    },
    alone: { last: 'head +0' },
  },
  '7 an entry taken out, the rest renumbered, hashed and linked': {
    found: {
      first: 'heads_log +0',
      inside: 'heads_log +39',
      closing: 'missing +0',
      opening: 'segment +0',
      last: 'heads_log +0',
    },
    alone: { first: 'tile +0', inside: 'tile -60', last: 'head +0' },
  },
  '8 the head cut off': {
    found: {
      first: 'missing +0',
      inside: 'missing @5175',
      closing: 'missing @5175',
      opening: 'missing +0',
      last: 'heads_log @10349',
    },
    alone: { last: 'head @10349' },
  },
  '9 the tail cut off': {
    found: {
      first: 'missing +0',
      inside: 'missing +0',
      closing: 'missing +0',
      opening: 'missing +0',
      last: 'heads_log +0',
    },
    alone: { last: 'head +0' },
  },
  '13 an entry put in between, the rest renumbered and hashed': {
    found: {
      first: 'heads_log +0',
      inside: 'run_chain +0',
      closing: 'run_chain +0',
      opening: 'run_chain +0',
      last: 'run_chain +0',
    },
    alone: { first: 'run_chain +2' },
  },
  '13 an entry put in between, the rest renumbered, hashed and linked': {
    found: {
      first: 'heads_log +0',
      inside: 'heads_log +39',
      closing: 'segment +0',
      opening: 'segment +0',
      last: 'head +0',
    },
    alone: { first: 'tile +0', inside: 'tile -60' },
  },
  '15 an entry repeated': all('hash +1'),
  '16 two entries swapped': {
    found: {
      first: 'hash +0',
      inside: 'stray @5093',
      closing: 'hash @5612',
      opening: 'stray @5613',
      last: 'stray @10307',
    },
    alone: {},
  },
  '17 two neighbours of one millisecond in the other order': {
    found: { first: 'hash +0', inside: 'hash +0', closing: 'hash -1', opening: 'hash +0', last: 'hash -1' },
    alone: {},
  },
  '10 the tail cut off to the nearest seal, the head signed anew with the stolen keys': {
    found: {
      first: 'head @1036',
      inside: 'head @5179',
      closing: 'head -2',
      opening: 'head @7246',
      last: 'head @10353',
    },
    alone: {},
  },
  '20 a lie before the newest seal, everything after it signed anew with the stolen keys': {
    found: {
      first: 'heads_log +0',
      inside: 'heads_log +39',
      closing: 'seal +0',
      opening: 'heads_log +0',
      last: 'seal +0',
    },
    alone: { first: 'seal @1036', inside: 'seal @6210', opening: 'seal @7246' },
  },
  '21 a seal signed again with a later key': {
    found: {
      first: 'hash @1036',
      inside: 'hash @5179',
      closing: 'hash +0',
      opening: 'hash @7246',
      last: 'hash +0',
    },
    alone: {},
  },
  '21 a seal signed again with a later key, everything after it signed anew': {
    found: {
      first: 'seal @1036',
      inside: 'seal @5179',
      closing: 'seal +0',
      opening: 'seal @7246',
      last: 'seal +0',
    },
    alone: {},
  },
  '22 a seal taken out, everything after it signed anew': {
    found: {
      first: 'seal @1037',
      inside: 'heads_log @5179',
      closing: 'head -1',
      opening: 'seal @7247',
      last: 'head -1',
    },
    alone: { inside: 'seal @6209' },
  },
  "28 INSERT OR REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  "28 REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  "28 upsert by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  "28 UPDATE OR REPLACE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  "28 UPDATE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  "28 DELETE by a connection of one's own: the triggers refuse it, and nothing is changed": {
    found: { first: 'ok', inside: 'ok', closing: 'ok', opening: 'ok', last: 'ok' },
    alone: {
      first: 'unproven',
      inside: 'unproven',
      closing: 'unproven',
      opening: 'unproven',
      last: 'unproven',
    },
  },
  '29 a trigger dropped, an entry edited': all('schema'),
  '29 a trigger dropped, an entry edited, the trigger put back': all('column +0'),
  '30 a filtering view in place of the table': all('schema'),
  '31 the index e_run rebuilt to hide an entry, its text restored': all('page'),
  '32 an index with an entry that is no more': all('page'),
  '33 STRICT taken off, a number stored as text, STRICT put back': all('type'),
  '33 STRICT taken off, a body stored as bytes, STRICT put back': all('type'),
  '34 a NUL and more behind a body': all('hash +0'),
  '34 a NUL behind a body': all('hash +0'),
  '34 a space behind a body': all('hash +0'),
  '34 a line feed behind a body': all('hash +0'),
  '34 the separators of the page query behind a body': all('hash +0'),
  '35 bytes that are no UTF-8 in a body': all('hash +0'),
  '36 a key twice': all('hash +0'),
  '36 a key twice, hashed anew': all('column +0'),
  '36 1.0 for 1': all('hash +0'),
  '36 1.0 for 1, hashed anew': all('column +0'),
  '36 1e0 for 1': all('hash +0'),
  '36 1e0 for 1, hashed anew': all('column +0'),
  '36 a number over 2^53': all('hash +0'),
  '36 a number over 2^53, hashed anew': all('column +0'),
  '36 another order of keys': all('hash +0'),
  '36 another order of keys, hashed anew': all('column +0'),
  '36 white space': all('hash +0'),
  '36 white space, hashed anew': all('column +0'),
  '37 a body of another version, hashed anew': all('column +0'),
  '38 a tile of the tree edited': {
    found: {
      first: 'tile +0',
      inside: 'tile @5377',
      closing: 'tile @5889',
      opening: 'tile @1',
      last: 'tile @10497',
    },
    alone: {},
  },
  '38 a tile of the tree taken out': {
    found: {
      first: 'tile +0',
      inside: 'tile @5377',
      closing: 'tile @5889',
      opening: 'tile @5889',
      last: 'tile @10497',
    },
    alone: {},
  },
  '39 the name of a run changed': {
    found: {
      first: 'dict +0',
      inside: 'dict -144',
      closing: 'segment @5175',
      opening: 'segment +0',
      last: 'segment @10349',
    },
    alone: {},
  },
  '40 a preview with other content': {
    found: {
      first: 'blob +1',
      inside: 'blob -13',
      closing: 'blob -16',
      opening: 'blob +1',
      last: 'blob -17',
    },
    alone: {},
  },
  '40 a preview with other content of the same length': {
    found: {
      first: 'blob +1',
      inside: 'blob -13',
      closing: 'blob -16',
      opening: 'blob +1',
      last: 'blob -17',
    },
    alone: {},
  },
  '40 a preview with other content that is longer': {
    found: {
      first: 'blob +1',
      inside: 'blob -13',
      closing: 'blob -16',
      opening: 'blob +1',
      last: 'blob -17',
    },
    alone: {},
  },
  '40 a preview with other salt': {
    found: {
      first: 'blob +1',
      inside: 'blob -13',
      closing: 'blob -16',
      opening: 'blob +1',
      last: 'blob -17',
    },
    alone: {},
  },
  '40 two previews swapped': {
    found: {
      first: 'blob +1',
      inside: 'blob -17',
      closing: 'blob -20',
      opening: 'blob +1',
      last: 'blob -21',
    },
    alone: {},
  },
  '40 a preview taken out, without a word': {
    found: {
      first: 'blob +1',
      inside: 'blob -13',
      closing: 'blob -16',
      opening: 'blob +1',
      last: 'blob -17',
    },
    alone: {},
  },
  '27 rows of another ledger of the same key put in the place of ours': {
    found: {
      first: 'missing @1039',
      inside: 'dict @5180',
      closing: 'dict @5180',
      opening: 'stray @5179',
      last: 'stray @5179',
    },
    alone: {},
  },
  '55 a result of nothing, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a second result of a call, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result that reports on another result, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result of a call that was only asked for, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result of a call that comes later, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result of itself, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result of an action as that of a call, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a result of a call of another run, hashed and linked anew': {
    found: {
      first: 'pairing @400',
      inside: 'pairing +0',
      closing: 'pairing -3',
      opening: 'pairing @6612',
      last: 'pairing -4',
    },
    alone: {},
  },
  '55 a pending entry backdated, hashed and linked anew': {
    found: {
      first: 'heads_log +189',
      inside: 'heads_log +39',
      closing: 'seal -2',
      opening: 'heads_log +75',
      last: 'head -1',
    },
    alone: { first: 'tile +0', inside: 'tile -60', opening: 'tile -68' },
  },
};

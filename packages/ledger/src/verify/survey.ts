import { isSublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { basename } from 'node:path';
import { readGenesis, type Genesis } from '../genesis/record.js';
import { logSignedPart } from '../head/note.js';
import { readHead, selectHead, type Head, type HeadRow } from '../head/row.js';
import { schemaDifference } from '../schema/check.js';
import { schemaHash } from '../schema/ddl.js';
import { readBase, type Base } from '../segments/base.js';
import type { OpenFile } from './files.js';
import { checkNumbering } from './names.js';
import type { Finding } from './report.js';
import { checkSingleRows } from './single-rows.js';

/** A file whose tables are those of a ledger, and what stands in the rows that there is one of. */
export interface SurveyedFile extends OpenFile {
  readonly genesis: Genesis;
  /** Undefined where it is none. */
  readonly base: Base | undefined;
  readonly head: Head;
  readonly row: HeadRow;
}

/** A file whose place in the ledger is known. */
export interface PlacedFile extends SurveyedFile {
  readonly base: Base;
  /** Its newest entry; where it has none, the one before it. */
  readonly last: number;
}

/** All of them, each in its place. */
export interface PlacedFiles {
  /** Oldest first. */
  readonly closed: readonly PlacedFile[];
  readonly newest: PlacedFile;
}

/** Looks at everything in a file that can be looked at before its entries. */
export function surveyFile(file: OpenFile): SurveyedFile | Finding {
  const { db } = file;
  const difference = schemaDifference(db);
  if (difference !== null) return { seq: 0, class: 'schema', detail: difference };
  const stray = checkSingleRows(db) ?? checkNumbering(db);
  if (stray !== null) return stray;
  const genesis = checkGenesis(db);
  if ('class' in genesis) return genesis;

  const row = selectHead(db);
  if (row === undefined) return { seq: 0, class: 'head', detail: 'there is no head' };
  // The log key's signature alone: which seal key was in force is known once the seals have been walked.
  const byLogKey = { ...row, note: logSignedPart(row.note) };
  const head = readHead(byLogKey, genesis.ledgerId, { log: genesis.publicKey });
  if (typeof head === 'string') return { seq: 0, class: 'head', detail: head };
  return { ...file, genesis, base: readBase(db), head, row };
}

/**
 * Every file in its place: numbered on without a gap, each beginning behind what the one before it is named
 * after.
 */
export function placeAll(closed: readonly OpenFile[], newest: SurveyedFile): PlacedFiles | Finding {
  const placed: PlacedFile[] = [];
  if (newest.base === undefined) return nowhere();
  const number = newest.base.segment;
  for (const [at, file] of closed.entries()) {
    const surveyed = surveyClosed(file);
    const found =
      'class' in surveyed ? surveyed : place(surveyed, newest, number - closed.length + at, placed.at(-1));
    if ('class' in found) return inFile(found, file);
    placed.push(found);
  }
  const found = place(newest, newest, number, placed.at(-1));
  return 'class' in found ? found : { closed: placed, newest: found };
}

/** As `surveyFile`. A file of another version is followed by none of this one. */
function surveyClosed(file: OpenFile): SurveyedFile | Finding {
  try {
    return surveyFile(file);
  } catch (error) {
    if (!isSublError(error, 'not_available', 'home_too_old')) throw error;
    return segment(file.closed?.first ?? 0, 'its schema is of another version than that of the newest file');
  }
}

/**
 * Holds a file against its place: it is of the newest file's ledger, of this number, behind the one before
 * it, and what its name says.
 */
function place(
  file: SurveyedFile,
  newest: SurveyedFile,
  number: number,
  before: PlacedFile | undefined,
): PlacedFile | Finding {
  const { base, closed, db, genesis } = file;
  if (base === undefined) return nowhere();
  const first = base.seq + 1;
  if (genesis.fingerprint !== newest.genesis.fingerprint)
    return segment(first, 'it is a file of another ledger');
  if (base.segment !== number)
    return segment(first, `it is file ${base.segment} of the ledger, not ${number}`);
  if (closed !== null && closed.first !== first)
    return segment(
      first,
      `its name says that it begins with entry ${closed.first}, and it begins with ${first}`,
    );
  const range = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(seq) FROM entry) AS first, (SELECT max(seq) FROM entry) AS last',
  );
  const found = range.get() ?? { first: null, last: null };
  if (found.first !== null && found.first < first)
    return { seq: found.first, class: 'stray', detail: 'it comes before the first entry' };
  if (before !== undefined && before.closed?.last !== base.seq)
    return segment(
      first,
      `its file begins with it, and the one before is named after entry ${before.closed?.last} as its last`,
    );
  return { ...file, base, last: found.last ?? base.seq };
}

/** A finding that names the closed file that it was made in. */
export function inFile(finding: Finding, { closed, path }: OpenFile): Finding {
  return closed === null ? finding : { ...finding, detail: `${finding.detail} (\`${basename(path)}\`)` };
}

function checkGenesis(db: Database): Genesis | Finding {
  const record = db.prepare<[], string>('SELECT record FROM genesis WHERE id = 1').pluck().get();
  const genesis = readGenesis(record ?? '');
  if (genesis === undefined)
    return { seq: 0, class: 'genesis', detail: 'there is no readable genesis record' };
  if (genesis.schemaHash !== schemaHash()) {
    return { seq: 0, class: 'genesis', detail: 'the genesis record names another schema' };
  }
  return genesis;
}

function nowhere(): Finding {
  return segment(0, 'it does not say where it begins');
}

function segment(seq: number, detail: string): Finding {
  return { seq, class: 'segment', detail };
}

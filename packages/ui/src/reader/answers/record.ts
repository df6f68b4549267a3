import { isSublError, listAt, SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  endedText,
  explainedJson,
  explainRecorded,
  flaggedJson,
  hintJson,
  recordJson,
  refusalFacts,
  shown,
  shownJson,
  toolOf,
  waysOn,
} from '@subluminal/records';
import type { RecordDetail } from '../../protocol/record.js';
import { rowOf } from '../row-of.js';
import { shownHash } from './shown-hash.js';

/** All of one record, by any of its entries. @throws SublError `not_found` */
export function recordDetail(reader: LedgerReader, seq: number): RecordDetail {
  const found = shown(reader, String(seq));
  if (found.kind !== 'record')
    throw new SublError('not_found', `entry ${seq} is part of no call and no action`);
  const { hint, record } = found;
  const asRecord = toolOf(record) === null ? flaggedJson(reader, record) : recordJson(record);
  const facts = hint === undefined ? null : hintJson(hint);
  const isOpenHint = found.isLive && hint !== undefined && hint.promoted === null;
  const row = rowOf(reader, record);
  const refusal = refusalFacts(reader, record);
  const { end } = refusal;
  return {
    row,
    record: asRecord,
    entries: listAt(shownJson(reader, found), 'entries'),
    flags: listAt(asRecord, 'flags'),
    ...traceOf(reader, seq, record.decision !== null),
    hint: facts,
    hint_shown: facts === null || !isOpenHint ? null : shownHash(facts),
    call_id: textAt(record.first.data, 'call', 'call_id') || null,
    ended: end === undefined ? null : endedText(end),
    ways: row.refused ? waysOn(refusal) : [],
  };
}

/** The entries of something that is no record, too. */
function traceOf(
  reader: LedgerReader,
  seq: number,
  isDecided: boolean,
): Pick<RecordDetail, 'trace' | 'trace_problem'> {
  if (!isDecided) return { trace: null, trace_problem: null };
  try {
    const explained = explainRecorded(reader, String(seq));
    const { notes, ruling } = explained;
    return { trace: { ...explainedJson(explained), ruling, notes: [...notes] }, trace_problem: null };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { trace: null, trace_problem: error.message };
  }
}

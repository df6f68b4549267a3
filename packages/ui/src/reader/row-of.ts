import { startOf, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  actionOf,
  brakeOf,
  type CallRecord,
  decisionOf,
  destinationOf,
  endsOf,
  factsOf,
  flagsOf,
  kindOf,
  questionIn,
  statusOf,
  toolOf,
  wasRefused,
} from '@subluminal/records';
import type { Row } from '../protocol/rows.js';
import { layerObject } from './changes.js';
import { operatedObjects } from './operated.js';

/** How much of a text a row shows. */
const OBJECT = 160;
const WHY = 160;
const NAME = 80;

/** Records, each in one line, with the answers to the questions that they asked. */
export function rowsOf(reader: LedgerReader, records: readonly CallRecord[]): readonly Row[] {
  const asked = new Map(
    records.flatMap((record) => {
      const id = questionIn(record.decision?.data ?? null);
      return id === undefined ? [] : [[record, id] as const];
    }),
  );
  const operated = operatedObjects(reader, records);
  const line = (record: CallRecord, answer: Row['answer']): Row =>
    lineOf(reader, record, answer, operated.get(record) ?? '');
  if (asked.size === 0) return records.map((record) => line(record, null));
  const since = Math.min(...[...asked.keys()].map(({ first }) => first.ts));
  const ends = endsOf(reader, new Set(asked.values()), since);
  return records.map((record) => {
    const end = ends.get(asked.get(record) ?? '');
    return line(record, end?.answer ?? null);
  });
}

/** A record in one line. */
export function rowOf(reader: LedgerReader, record: CallRecord): Row {
  const [row] = rowsOf(reader, [record]);
  return row ?? lineOf(reader, record, null, '');
}

function lineOf(reader: LedgerReader, record: CallRecord, answer: Row['answer'], operated: string): Row {
  const { first, decision, last } = record;
  const [server, tool] = toolOf(record) ?? [null, null];
  const facts = factsOf(record);
  const isCall = tool !== null;
  const object = isCall ? (record.object ?? '') : layerObject(record) || destinationOf(first) || operated;
  return {
    seq: first.seq,
    last: (last ?? decision ?? first).seq,
    ts: first.ts,
    run: first.runId,
    who: first.runId === null ? cut(whoIn(first), NAME) : null,
    kind: kindOf(record),
    server: cut(server ?? '', NAME),
    tool: cut(tool ?? '', NAME),
    action: cut(actionOf(record) ?? '', NAME),
    object: cut(object, OBJECT),
    decision: decisionOf(record),
    answer,
    status: brakeOf(record) ?? statusOf(record),
    refused: wasRefused(record),
    rule: cut(facts.ruleId, NAME),
    why: cut(facts.reason, WHY),
    ms: facts.latencyMs ?? null,
    bytes: facts.bytesOut ?? null,
    flags: isCall ? [] : flagsOf(reader, record).map(({ data }) => textAt(data, 'kind')),
  };
}

/** A mark that stood in the home before its gateway ran says of nobody. */
function whoIn({ data, type }: LedgerRow): string {
  const by = type === 'panicked' ? textAt(data, 'by') : '';
  return by === 'operator' ? by : textAt(data, 'source');
}

function cut(text: string, most: number): string | null {
  return text === '' ? null : startOf(text, most);
}

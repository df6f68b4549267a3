import { startOf, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  actionOf,
  type CallRecord,
  decisionOf,
  destinationOf,
  factsOf,
  flagsOf,
  kindOf,
  statusOf,
  toolOf,
  wasRefused,
} from '@subluminal/records';
import type { Row } from '../protocol/rows.js';

/** How much of a text a row shows. */
const OBJECT = 160;
const WHY = 160;
const NAME = 80;

/** A record in one line. */
export function rowOf(reader: LedgerReader, record: CallRecord): Row {
  const { first, decision, last } = record;
  const [server, tool] = toolOf(record) ?? [null, null];
  const facts = factsOf(record);
  const isCall = tool !== null;
  const object = isCall ? (record.object ?? '') : destinationOf(first);
  return {
    seq: first.seq,
    last: (last ?? decision ?? first).seq,
    ts: first.ts,
    run: first.runId,
    who: first.runId === null ? cut(textAt(first.data, 'source'), NAME) : null,
    kind: kindOf(record),
    server: cut(server ?? '', NAME),
    tool: cut(tool ?? '', NAME),
    action: cut(actionOf(record) ?? '', NAME),
    object: cut(object, OBJECT),
    decision: decisionOf(record),
    status: statusOf(record),
    refused: wasRefused(record),
    rule: cut(facts.ruleId, NAME),
    why: cut(facts.reason, WHY),
    ms: facts.latencyMs ?? null,
    bytes: facts.bytesOut ?? null,
    flags: isCall ? [] : flagsOf(reader, record).map(({ data }) => textAt(data, 'kind')),
  };
}

function cut(text: string, most: number): string | null {
  return text === '' ? null : startOf(text, most);
}

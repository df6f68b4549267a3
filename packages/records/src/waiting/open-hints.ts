import { textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { isSameWaiver } from '@subluminal/policy';
import { waiverOf } from '../deciding/waiver.js';
import { callIdOf, callOf, type HintRecord } from '../hints.js';
import { questionIn } from '../runs/refusal-counts.js';
import { runEnd } from '../runs/runs.js';
import { newestRows } from './newest-rows.js';

/** Hints that are looked at, from the newest, and those of live runs that are shown. */
const MAX_HINTS = 1000;
const MAX_SHOWN = 100;

/**
 * Hints whose rule can still be lifted: of runs that go on, without those that were promoted, questions, and
 * hints of a policy that narrows that of the home. Of hints for equal calls the newest. Newest first.
 */
export function openHints(reader: LedgerReader): readonly HintRecord[] {
  const isLive = remembered((runId: string) => runEnd(reader, runId) === undefined);
  const lifted = [...newestRows(reader, 'hint_promoted', MAX_HINTS)].flatMap((row) => {
    const waiver = waiverOf(row);
    return waiver === undefined ? [] : [{ runId: row.runId, waiver }];
  });
  const seen = new Set<string>();
  const open: HintRecord[] = [];
  for (const row of newestRows(reader, 'hint_issued', MAX_HINTS)) {
    const { runId, data, tool } = row;
    if (runId === null || !Array.isArray(tool) || isOther(data) || !isLive(runId)) continue;
    const [server_name = '', tool_name = ''] = tool;
    const args_hash = textAt(data, 'call', 'args_hash');
    const of = { rule_id: textAt(data, 'rule_id'), server_name, tool_name };
    const isLifted = lifted.some(
      ({ runId: whose, waiver }) =>
        whose === runId && [args_hash, null].some((hash) => isSameWaiver(waiver, { ...of, args_hash: hash })),
    );
    const key = JSON.stringify([runId, of, args_hash]);
    if (isLifted || seen.has(key)) continue;
    seen.add(key);
    open.push({ row, call: callOf(reader, row), promoted: null });
    if (open.length === MAX_SHOWN) break;
  }
  return open;
}

/** A question has a row of its own, and nothing lifts a rule of a policy that narrows that of the home. */
function isOther(data: JsonObject): boolean {
  const isQuestion = questionIn({ decision: data }) !== undefined;
  return (
    isQuestion || textAt(data, 'policy') !== '' || textAt(data, 'rule_id') === '' || callIdOf({ data }) === ''
  );
}

function remembered<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? find(key);
    known.set(key, value);
    return value;
  };
}

import { Replay, policyRef, type PolicySnapshot, type Replayed } from '@subluminal/policy';
import type { LedgerReader } from '@subluminal/ledger';
import { history, recordAround, type Happening, type ReportScope, type Turn } from '@subluminal/records';
import { extentOf } from '../policy/replay/extent.js';
import { fold } from '../policy/replay/fold.js';

/** Calls that are decided again, from the first. */
const MAX_CALLS = 50_000;
/** Rules that are told apart, and calls of each that are named. */
const MAX_RULES = 200;
const MAX_EXAMPLES = 3;

/** The calls that ran, and that a rule of another policy would have kept from running. */
export interface StoppingRule {
  readonly ruleId: string;
  /** It would have asked a person. */
  readonly isAsk: boolean;
  calls: number;
  readonly examples: { readonly seq: number; readonly name: string; readonly object: string | null }[];
}

/** The answers of another policy to the calls of a report. */
export interface Against {
  readonly name: string;
  readonly policy: ReturnType<typeof policyRef>;
  readonly calls: number;
  /** Of the calls that ran. */
  readonly stopped: number;
  readonly asked: number;
  /** Refused calls that it would have let through. */
  readonly passing: number;
  /** Of which it cannot be told. */
  readonly unknown: number;
  /** The busiest first. */
  readonly rules: readonly StoppingRule[];
  /** There are more calls than were decided again. */
  readonly isCut: boolean;
}

/** Lets a policy decide the calls of a report again, in a bounded memory. */
export async function against(
  reader: LedgerReader,
  scope: ReportScope,
  { name, snapshot }: { readonly name: string; readonly snapshot: PolicySnapshot },
  turn: Turn,
): Promise<Against> {
  const { after, runId, runs, sinceMs } = extentOf({ run: scope.runId, since: scope.sinceMs }, reader);
  const untilMs = scope.untilMs ?? Number.POSITIVE_INFINITY;
  const replay = new Replay(snapshot);
  const sum = { calls: 0, stopped: 0, asked: 0, passing: 0, unknown: 0 };
  const rules = new Map<string, StoppingRule>();
  const steps = (function* () {
    for (const step of reader.callSteps({ after, runId }))
      if (runs === undefined || (step.runId !== null && runs.has(step.runId))) yield step;
  })();
  for (const happening of history(steps)) {
    const replayed = fold(replay, happening);
    await turn();
    if (happening.what !== 'call' || replayed === undefined) continue;
    if (happening.call.ts < sinceMs || happening.call.ts > untilMs) continue;
    if (sum.calls === MAX_CALLS) return told(true);
    sum.calls += 1;
    add(happening, replayed);
  }
  return told(false);

  function told(isCut: boolean): Against {
    const sorted = [...rules.values()].toSorted((a, b) => b.calls - a.calls);
    return { name, policy: policyRef(snapshot), ...sum, rules: sorted, isCut };
  }

  function add({ call }: Extract<Happening, { what: 'call' }>, replayed: Replayed): void {
    if (replayed.verdict === 'unknown') sum.unknown += 1;
    if (replayed.verdict === 'newly_allowed') sum.passing += 1;
    const ruling = replayed.would ?? replayed.now;
    const isKept = ruling !== null && ruling.action !== 'ALLOW';
    if (call.was.action !== 'ALLOW' || !(isKept || replayed.verdict === 'not_reached')) return;
    const ruleId = ruling?.rule_id ?? ruling?.reason_code ?? 'the run would have been ended';
    const place = snapshot.places.get(ruleId);
    const isAsk = place !== undefined && snapshot.plain.rules[place]?.kind === 'ask';
    sum[isAsk ? 'asked' : 'stopped'] += 1;
    const rule = rules.get(ruleId) ?? { ruleId, isAsk, calls: 0, examples: [] };
    if (!rules.has(ruleId) && rules.size >= MAX_RULES) return;
    rules.set(ruleId, rule);
    rule.calls += 1;
    if (rule.examples.length === MAX_EXAMPLES) return;
    const row = reader.holds(call.ref) ? reader.entry(call.ref) : undefined;
    const record = row === undefined ? undefined : recordAround(reader, row);
    rule.examples.push({
      seq: record?.first.seq ?? call.ref,
      name: `${call.server_name}.${call.tool_name}`,
      object: record?.object ?? null,
    });
  }
}

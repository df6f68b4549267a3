import {
  canonicalize,
  objectAt,
  parseJson,
  SublError,
  textAt,
  textsAt,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { wordFor, wordForRuling } from '../words.js';
import {
  keptReadings,
  explain,
  looksAt,
  PolicyState,
  projectPolicy,
  runPolicy,
  type Held,
  type Looks,
  TOOL_HELD,
  UNKNOWN_TOOL,
  withheld,
  type KnownArgs,
  type PolicySnapshot,
} from '@subluminal/policy';
import { findCallStart } from '../find.js';
import { ownerOf, recordJson, recordOf, toolOf, type CallRecord, type RecordFacts } from '../record.js';
import { runStart } from '../runs/runs.js';
import { argsOf } from './args.js';
import { identityOf } from './identity.js';
import { limitsBefore, type RebuiltLimits } from './limits.js';
import { paidBefore } from './paid.js';
import { agreedTo } from './waiver.js';
import { policyByHash, type FoundPolicy } from './policies.js';

const ALONE =
  'a shim decided it alone while the gateway was away, with what limits had counted by then: here it is decided with what the record has';
const HELD: Readonly<Record<Held['reason'], string>> = {
  TOOL_HELD: 'the tool was held, which no rule decides: `sub tools diff` shows what is held now, and why',
  UNKNOWN_TOOL:
    'the server never listed this tool, which no rule decides: `sub tools list SERVER` shows what it lists',
};

/** A recorded call, decided again under the policy that decided it. */
export interface ExplainedCall {
  readonly record: CallRecord;
  readonly decision: LedgerRow;
  readonly policy: FoundPolicy;
  /** Whose policy decided. */
  readonly of: RecordFacts['of'];
  /** Of a project: the path of its file, as the entry has it. */
  readonly file: string | undefined;
  /** How much of the arguments was kept. */
  readonly kept: KnownArgs['kind'];
  /** The answer of the rules: `{decision, effective, tags, trace}`. Null where the policy cannot be had. */
  readonly ruling: JsonObject | null;
  /** The gaps of the explanation. */
  readonly notes: readonly string[];
}

/**
 * Explains a recorded call under the policy that decided it, with its limits as they stood then. Throws
 * `not_found` where there is no such call, or none that was decided.
 */
export function explainRecorded(reader: LedgerReader, callId: string): ExplainedCall {
  const { record, decision } = find(reader, callId);
  const hash = textAt(decision.data, 'policy', 'policy_hash');
  const by = textAt(decision.data, 'facts', 'policies', 'by');
  const found = policyByHash(reader, hash);
  const of = ownerOf(decision.data);
  const file = of === 'project' ? textAt(decision.data, 'facts', 'policies', 'project', 'file') : undefined;
  const policy = found.found ? { ...found, snapshot: ownedBy(found.snapshot, of, file) } : found;
  const args = argsOf(reader, record);
  const rebuilt = policy.found ? rebuild(reader, record, decision, policy.snapshot, args) : undefined;
  const notes = [
    ...(policy.found ? [] : [`the policy that decided (hash ${hash}) cannot be had: ${policy.why}`]),
    ...(rebuilt?.notes ?? []),
    ...(by === '' ? [] : otherTexts(decision, by)),
  ];
  const ruling = rebuilt?.ruling ?? null;
  return { record, decision, policy, of, file, kept: args.kind, ruling, notes };
}

/** The call that is explained, for programs; the names are documented in docs/cli.md. */
export function explainedJson({ record, decision, policy, of, file, kept }: ExplainedCall): JsonObject {
  return {
    call: recordJson(record),
    recorded: objectAt(decision.data, 'decision'),
    policy: {
      ...objectAt(decision.data, 'policy'),
      found: policy.found,
      of,
      ...(file === undefined ? {} : { file }),
      ...(policy.found ? { mode: policy.snapshot.mode, entry: policy.entry?.seq ?? null } : {}),
    },
    args: { kept },
  };
}

/** The policy with the meters that it had: those of its owner. */
function ownedBy(
  snapshot: PolicySnapshot,
  of: ExplainedCall['of'],
  file: string | undefined,
): PolicySnapshot {
  if (of === 'run') return runPolicy(snapshot);
  return file === undefined ? snapshot : projectPolicy(snapshot, file);
}

const NAMES = [
  ['home', 'policy of the home'],
  ['run', 'policy that the run was given'],
  ['project', 'policy of the project'],
] as const;

/** The answers of the policies that did not decide. */
function otherTexts({ data }: LedgerRow, by: string): readonly string[] {
  return NAMES.flatMap(([other, name]) => {
    const answer = objectAt(data, 'facts', 'policies', other);
    return other === by || textAt(answer, 'action') === '' ? [] : [otherText(name, answer)];
  });
}

function otherText(name: string, answer: JsonObject): string {
  const source = textAt(answer, 'rule_id');
  const why = source === '' ? textAt(answer, 'reason_code') : `rule \`${source}\``;
  const shadow = textAt(answer, 'shadow');
  return `the ${name} said ${wordForRuling(textAt(answer, 'action'), textAt(answer, 'reason_code'))} (${why})${shadow === '' ? '' : `, and would have said ${wordFor(shadow)}`}`;
}

function find(reader: LedgerReader, callId: string): { record: CallRecord; decision: LedgerRow } {
  const start = findCallStart(reader, callId);
  const record = start === undefined ? undefined : recordOf(reader, start);
  if (record === undefined) {
    throw new SublError('not_found', `there is no call \`${callId}\``, {
      help: '`sub query` lists calls; actions of services are decided by the allowlist, not by rules',
    });
  }
  if (record.decision === null) {
    throw new SublError('not_found', `call \`${callId}\` has no decision`, {
      help: '`sub show CALL` says what is recorded of it',
    });
  }
  return { record, decision: record.decision };
}

interface Rebuilt {
  readonly ruling: JsonObject;
  readonly notes: readonly string[];
}

function rebuild(
  reader: LedgerReader,
  { first }: CallRecord,
  decision: LedgerRow,
  snapshot: PolicySnapshot,
  args: KnownArgs,
): Rebuilt {
  const runId = decision.runId ?? '';
  const [server_name, tool_name] = toolOf({ first, decision, last: null, object: null }) ?? ['', ''];
  const limits = limitsBefore(reader, runId, decision.seq);
  const start = runStart(reader, runId);
  const readings = keptReadings(objectAt(decision.data, 'facts', 'readings') ?? undefined);
  const isBlind = snapshot.readsObjects && readings === undefined;
  const missing = [...missingArgs(snapshot, args), ...(isBlind ? ['paths', 'commands', 'hosts'] : [])];
  const call = {
    server_name,
    tool_name,
    args: args.kind === 'uninspected' ? undefined : args.values,
    args_hash: textAt(decision.data, 'call', 'args_hash'),
    raised: textsAt(decision.data, 'facts', 'raised'),
    readings,
    identity: identityOf(start?.data ?? {}),
  };
  const explained = explain(
    snapshot,
    limits.rebuilt ? limits.state : PolicyState.empty(),
    call,
    decision.ts,
    {
      waivers: [...(limits.rebuilt ? limits.waivers : []), ...agreedTo(call, decision.data)],
      canAsk: true,
      paid: limits.rebuilt ? paidBefore(reader, decision) : [],
    },
  );
  const held = heldBy(textAt(decision.data, 'decision', 'explain', 'reason_code'));
  const ruling = rulingJson(withheld(explained, held, snapshot.mode), looksAt(snapshot, call, decision.ts));
  const notes = notesOf(decision, limits, start !== undefined, missing, ruling);
  const isAlone = Object.hasOwn(decision.data, 'testimony');
  return {
    ruling,
    notes: [...(held === undefined ? [] : [HELD[held.reason]]), ...(isAlone ? [ALONE] : []), ...notes],
  };
}

function heldBy(reason: string): Held | undefined {
  if (reason === TOOL_HELD) return { reason, summary: 'the tool was held' };
  return reason === UNKNOWN_TOOL ? { reason, summary: 'its server never listed the tool' } : undefined;
}

function notesOf(
  decision: LedgerRow,
  limits: RebuiltLimits,
  hasStart: boolean,
  missing: readonly string[],
  ruling: JsonObject,
): readonly string[] {
  const names = missing.map((key) => `\`${key}\``).join(', ');
  const by = textAt(decision.data, 'facts', 'policies', 'by');
  const was = objectAt(decision.data, ...(by === '' ? ['decision'] : ['facts', 'policies', by]));
  const ruled = textAt(was, 'shadow') || textAt(was, 'action');
  const agrees =
    ruled === textAt(ruling, 'decision', 'action') &&
    textAt(was, 'rule_id') === textAt(ruling, 'decision', 'rule_id');
  return [
    ...(limits.rebuilt ? [] : [`what limits had counted cannot be told: ${limits.why}`]),
    ...(hasStart ? [] : ['the start of the run is not there, so who made the call is not known']),
    ...(missing.length === 0
      ? []
      : [`the values of ${names} were not kept: rules that look at them are shown as if they were absent`]),
    ...(agrees ? [] : ['decided again it comes out differently: what was recorded above is what happened']),
  ];
}

/** Arguments that rules look at and whose values are not known. */
function missingArgs({ argKeys }: PolicySnapshot, { kind, values, absent }: KnownArgs): readonly string[] {
  if (kind !== 'part') return [];
  return argKeys.filter((key) => !Object.hasOwn(values, key) && !absent.has(key));
}

/** The answer of each rule to a call, and the objects that they looked at, as data. */
export function rulingJson(
  { decision, effective, tags, trace }: ReturnType<typeof explain>,
  looks: Looks | undefined,
): JsonObject {
  const text = canonicalize({
    decision: withoutUndefined(decision),
    effective: withoutUndefined(effective),
    tags: [...tags],
    trace: trace.map(withoutUndefined),
    objects: looks ?? null,
  });
  const value: JsonValue = parseJson(text);
  return objectAt({ value }, 'value');
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

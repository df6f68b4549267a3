import {
  canonicalize,
  ExactNumber,
  objectAt,
  sha256Hex,
  textAt,
  type JsonValue,
} from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  compilePolicy,
  explain,
  insertAllow,
  keptReadings,
  objectMatches,
  PolicyState,
  type AllowDraft,
  type ArgValue,
  type InsertResult,
  type PolicyCall,
} from '@subluminal/policy';
import { argsOf, identityOf, runStart, type RefusedCall } from '@subluminal/records';
import { NO_KEYS } from '@subluminal/readings/facts';
import { readHere } from '../../objects/read-here.js';

/** The ways to say which calls are like a refused one, the narrowest first. */
export const READINGS = ['path', 'folder', 'command', 'host', 'args', 'any'] as const;
export type Reading = (typeof READINGS)[number];

/** One way, with what it asks of a call. */
export interface Candidate {
  readonly as: Reading;
  readonly draft: Pick<AllowDraft, 'args' | 'objects'>;
  /** Arguments of the call that no predicate can ask for: the rule takes any value of them. */
  readonly open: readonly string[];
}

/** The call as far as it is known. */
export interface KnownCall {
  readonly call: PolicyCall;
  readonly candidates: readonly Candidate[];
  /** Why no rule can ask for its arguments; undefined where one can. */
  readonly lacks: string | undefined;
}

/** The ways in which a refused call can be named, as far as it was kept. */
export function knownCall(reader: LedgerReader, { record, runId, server, tool }: RefusedCall): KnownCall {
  const args = argsOf(reader, record);
  const args_hash = textAt(record.first.data, 'call', 'args_hash');
  const isWhole = args.kind === 'whole' && sha256Hex(canonicalize(args.values)) === args_hash;
  const start = runStart(reader, runId)?.data ?? {};
  const folder = textAt(start, 'workload', 'repo_path') || '/';
  const readings =
    keptReadings(objectAt(record.decision?.data ?? null, 'facts', 'readings')) ??
    (isWhole ? readHere({ server, tool, args: args.values, keys: NO_KEYS }, folder) : undefined);
  const objects = [...(readings === undefined ? [] : objectMatches(readings))];
  return {
    call: {
      server_name: server,
      tool_name: tool,
      args: isWhole ? args.values : undefined,
      args_hash,
      readings,
      identity: identityOf(start),
    },
    candidates: [
      ...objects.map(([as, match]) => ({ as, draft: { args: {}, objects: match }, open: [] })),
      ...(isWhole ? [argsCandidate(args.values)] : []),
      { as: 'any', draft: { args: {} }, open: [] },
    ],
    lacks: isWhole
      ? undefined
      : args.kind === 'uninspected'
        ? 'were too large to be inspected'
        : 'are not all kept in the ledger',
  };
}

/**
 * The file with the rule of a candidate. Undefined where the rule would not take the call itself: what is
 * known of it in part is never allowed.
 */
export function tried(
  text: string,
  draft: AllowDraft,
  { as }: Candidate,
  call: PolicyCall,
  { filename, now }: { readonly filename: string; readonly now: number },
): InsertResult | undefined {
  const result = insertAllow(text, draft, { filename });
  if (!result.ok || as === 'args' || as === 'any') return result;
  const compiled = compilePolicy(result.text, { filename });
  if (!compiled.ok) return undefined;
  const { trace } = explain(compiled.snapshot, PolicyState.empty(), call, now);
  return trace.some(({ rule_id, outcome }) => rule_id === result.rule.rule_id && outcome === 'overrides')
    ? result
    : undefined;
}

function argsCandidate(args: Readonly<Record<string, JsonValue>>): Candidate {
  const values: Record<string, ArgValue> = Object.create(null);
  const open: string[] = [];
  for (const [key, value] of Object.entries(args)) {
    if (isArgValue(value)) values[key] = value;
    else open.push(key);
  }
  return { as: 'args', draft: { args: values }, open };
}

/** A number that is no double cannot be written into a bundle. */
function isArgValue(value: JsonValue): value is ArgValue {
  if (value instanceof ExactNumber) return false;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

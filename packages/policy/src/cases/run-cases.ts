import {
  argsHash,
  canonicalize,
  type Decision,
  type JsonObject,
  type JsonValue,
  sha256Hex,
} from '@subluminal/core-types';
import type { NamedKeys, Readings } from '@subluminal/readings/facts';
import { explain } from '../decide/decide.js';
import type { TraceStep } from '../decide/trace.js';
import type { PolicyCall, PolicyIdentity } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { type CaseCall, type CaseFile, type Expected, type PolicyCase, toolKey } from './case-file.js';

/** One thing that came out otherwise than a case expects. */
export interface CaseFailure {
  /** Which call of the case, from 1, and which of its repetitions. */
  readonly call: number;
  readonly time: number;
  readonly line: number;
  readonly tool: string;
  /** The field of the decision; null where the call could not be made at all. */
  readonly field: string | null;
  readonly expected: JsonValue;
  readonly got: JsonValue;
  readonly decision: Decision | null;
  readonly trace: readonly TraceStep[];
}

/** The outcome of one case. */
export interface CaseResult {
  readonly name: string;
  readonly line: number;
  readonly calls: number;
  readonly ok: boolean;
  /** Of the first call that came out otherwise. */
  readonly failures: readonly CaseFailure[];
}

/** Reads the objects of a call, as of a case. */
export type ReadObjects = (server: string, tool: string, args: JsonObject, keys: NamedKeys) => Readings;

/** Puts the calls of every case to a policy, each case with counters of its own. */
export function runCases(snapshot: PolicySnapshot, file: CaseFile, read: ReadObjects): readonly CaseResult[] {
  return file.cases.map((one) => runCase(snapshot, file, one, read));
}

function runCase(
  snapshot: PolicySnapshot,
  file: CaseFile,
  { name, line, identity, at, calls }: PolicyCase,
  read: ReadObjects,
): CaseResult {
  const state = PolicyState.empty();
  let now = at;
  let made = 0;
  let ended: string | undefined;
  for (const [index, call] of calls.entries()) {
    const tool = `${call.server_name}/${call.tool_name}`;
    for (let time = 1; time <= call.times; time += 1) {
      const place = { call: index + 1, time, line: call.line, tool };
      const fail = (
        failures: readonly Found[],
        decision: Decision | null,
        trace: readonly TraceStep[],
      ): CaseResult => ({
        name,
        line,
        calls: made,
        ok: false,
        failures: failures.map((failure) => ({ ...place, ...failure, decision, trace })),
      });
      if (ended !== undefined) return fail([unmade('a call', `the run was ended by ${ended}`)], null, []);
      const next = time === 1 ? timeOf(call, now) : now;
      if (next < now) return fail([unmade('a later time', 'a time before the call above it')], null, []);
      now = next;
      made += 1;
      const inputSchema = file.inputSchemas.get(toolKey(call.server_name, call.tool_name));
      const { decision, effective, tags, charge, trace } = explain(
        snapshot,
        state,
        policyCall(call, identity, (server, named, args) =>
          read(server, named, args, snapshot.keysOf(server, named)),
        ),
        now,
        { canAsk: true, ...(inputSchema === undefined ? {} : { inputSchema }) },
      );
      state.apply(charge, now);
      if (effective.action === 'ALLOW') {
        now += call.end.latency_ms;
        state.settle(charge, call.end, now);
      }
      if (effective.action === 'TERMINATE_RUN') ended = `rule \`${effective.rule_id ?? ''}\``;
      const others = differences(call.expect, decision, tags);
      if (others.length > 0) return fail(others, decision, trace);
    }
  }
  return { name, line, calls: made, ok: true, failures: [] };
}

type Found = Pick<CaseFailure, 'field' | 'expected' | 'got'>;

function unmade(expected: string, got: string): Found {
  return { field: null, expected, got };
}

function timeOf({ when }: CaseCall, now: number): number {
  return 'at' in when ? when.at : now + when.afterMs;
}

function policyCall(
  call: CaseCall,
  identity: PolicyIdentity,
  read: (server: string, tool: string, args: JsonObject) => Readings,
): PolicyCall {
  const { server_name, tool_name, args, uninspected, raised } = call;
  const common = { server_name, tool_name, identity, raised };
  if (uninspected === undefined)
    return { ...common, args, args_hash: argsHash(args), readings: read(server_name, tool_name, args) };
  // The bytes of such arguments are hashed: the same case stands for the same bytes.
  const args_hash = sha256Hex(canonicalize([server_name, tool_name, uninspected]));
  return { ...common, args: undefined, arg_keys: uninspected, args_hash };
}

function differences(expected: Expected, decision: Decision, tags: readonly string[]): readonly Found[] {
  const { hint, terminate, ...rest } = decision;
  const got: Readonly<Record<string, JsonValue | undefined>> = {
    ...rest,
    ...terminate,
    tags: tags.toSorted((a, b) => (a < b ? -1 : Number(a > b))),
  };
  const hints: Readonly<Record<string, JsonValue | undefined>> = hint ?? {};
  const wanted = Object.entries({ action: expected.action, ...expected.fields });
  return [
    ...wanted.map(([field, value]) => found(field, value, got[field])),
    ...Object.entries(expected.hint).map(([field, value]) => found(`hint.${field}`, value, hints[field])),
  ].filter((one) => canonicalize(one.expected) !== canonicalize(one.got));
}

function found(field: string, expected: JsonValue, got: JsonValue | undefined): Found {
  return { field, expected, got: got ?? null };
}

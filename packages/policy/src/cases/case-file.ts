import type { DecisionAction, JsonObject, JsonValue } from '@subluminal/core-types';
import type { PolicyIdentity } from '../match/call.js';
import type { PolicyProblem } from '../problem/problem.js';

/** A file of cases: what a policy is expected to say of which calls. docs/governance.md, "Tests". */
export interface CaseFile {
  /** The policy as the file names it, relative to itself; null: the one beside it. */
  readonly policy: string | null;
  /** Input schemas of tools, by server and tool, as `suggested_args` are checked against them. */
  readonly inputSchemas: ReadonlyMap<string, JsonObject>;
  readonly cases: readonly PolicyCase[];
}

/** One case: calls of one run, in their order. */
export interface PolicyCase {
  readonly name: string;
  readonly line: number;
  readonly identity: PolicyIdentity;
  /** Epoch milliseconds of the first call. */
  readonly at: number;
  readonly calls: readonly CaseCall[];
}

/** One call of a case, or several of the same. */
export interface CaseCall {
  readonly line: number;
  readonly server_name: string;
  readonly tool_name: string;
  readonly args: JsonObject;
  /** The names of arguments that were too large to be inspected; undefined: they were inspected. */
  readonly uninspected: readonly string[] | undefined;
  readonly raised: readonly string[];
  readonly times: number;
  /** When it is made: at a moment, or so long after the one before it ended. */
  readonly when: { readonly at: number } | { readonly afterMs: number };
  readonly end: CaseEnd;
  readonly expect: Expected;
}

/** How a call that passes ends. */
export interface CaseEnd {
  readonly status: 'OK' | 'ERROR' | 'TIMEOUT' | 'CANCELLED';
  readonly latency_ms: number;
}

/** The expected decision; members that are not named are not compared. */
export interface Expected {
  readonly action: DecisionAction;
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Fields of the hint. */
  readonly hint: Readonly<Record<string, JsonValue>>;
}

/** A file of cases, or everything that is wrong with it. */
export type CaseFileResult =
  | { readonly ok: true; readonly file: CaseFile }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** How `inputSchemas` names a tool. */
export function toolKey(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

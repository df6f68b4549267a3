/** The complete public surface of @subluminal/policy: named exports only. */
export { BUILTIN_OBSERVE } from './builtin.js';
export { compilePolicy, type CompileResult } from './compile.js';
export { decide, type DecideResult, explain } from './decide/decide.js';
export { listVerdict } from './decide/list-verdict.js';
export {
  decideNarrowed,
  explainNarrowed,
  strictness,
  type Narrowed,
  type Narrowing,
} from './decide/narrowed.js';
export { type Held, TOOL_HELD, UNKNOWN_TOOL, withheld } from './decide/withheld.js';
export type { Trip } from './decide/round.js';
export type { TraceStep } from './decide/trace.js';
export type { Raise } from './decide/raise.js';
export { isSameWaiver, type Waiver, waives } from './decide/waiver.js';
export type { ReadObjects } from './cases/run-cases.js';
export { keptReadings, readingsUnder } from './replay/kept-readings.js';
export { readCases } from './cases/read-cases.js';
export { type CaseFailure, type CaseResult, runCases } from './cases/run-cases.js';
export type { Affected } from './diff/change.js';
export { comparePolicies, diffSummary, type PolicyChange, type PolicyComparison } from './diff/diff.js';
export type { PolicyCall, PolicyIdentity } from './match/call.js';
export type { CallEnd, Charge } from './meter/charge.js';
export { joinCharges } from './meter/paid.js';
export { chargeData, chargeFrom } from './meter/charge-data.js';
export { PolicyState } from './meter/policy-state.js';
export type { PolicyProblem } from './problem/problem.js';
export { foreignTo, openSignature, signStatement, type PolicySignature } from './sign/signature.js';
export { statementOf } from './sign/statement.js';
export { snapshotFromPlain } from './snapshot/from-plain.js';
export { policyRef, projectPolicy, runPolicy, type PolicySnapshot } from './snapshot/snapshot.js';
export { raiseLimits, type RaisedLimit } from './edit/raise-limits.js';
export { insertAllow, type InsertResult } from './edit/insert-allow.js';
export type { AllowDraft, AllowRuleJson, ArgValue } from './edit/rule.js';
export { objectMatches } from './edit/narrow.js';
export { unifiedDiff } from './edit/unified-diff.js';
export { knownArgs, type KnownArgs } from './replay/known-args.js';
export { Replay } from './replay/replay.js';
export type { RecordedCall, Replayed, Ruling } from './replay/recorded.js';
export { ReplayTally, type ReplayGroup } from './replay/tally.js';
export { keysOfAll } from './lookup/tool-keys.js';
export { placeOfRule } from './edit/place.js';
export { type Looks, looksAt } from './decide/looks.js';
export { pathTest } from './match/path.js';
export { compileGlob } from './pattern/glob.js';
export { compilePathGlob } from './pattern/path-glob.js';

/** The complete public surface of @subluminal/policy: named exports only. */
export { BUILTIN_OBSERVE } from './builtin.js';
export { compilePolicy, type CompileOptions, type CompileResult } from './compile.js';
export { decide, type DecideResult } from './decide/decide.js';
export { initialState, type PolicyState } from './decide/state.js';
export type { TraceOutcome, TraceStep } from './decide/trace.js';
export { diffSummary, type PolicyDiff } from './diff/diff.js';
export type { PolicyCall, PolicyIdentity } from './match/call.js';
export type { ProblemCode } from './problem/codes.js';
export type { PolicyProblem } from './problem/problem.js';
export { foreignTo, openSignature, signStatement, type PolicySignature } from './sign/signature.js';
export { statementOf, type PolicyStatement } from './sign/statement.js';
export { policyRef, type PolicySnapshot } from './snapshot/snapshot.js';
export type { SourceFormat } from './source/read.js';

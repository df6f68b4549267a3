/** The complete public surface of @subluminal/agent: named exports only. */
export type { Away } from './client/away.js';
export {
  type Allowed,
  type CallEnd,
  type Core,
  type ListedPage,
  type ListVerdict,
  type Refused,
  type CallTransport,
  type ToolCall,
  UninspectedArgs,
  type Verdict,
} from './client/contract.js';
export { CoreClient } from './client/core-client.js';
export { refusalText, retryAdvice } from './client/refusal-text.js';
export { GatewaySession, type SessionWatcher } from './client/gateway-session.js';
export { runLabels } from './enrol/environment.js';
export { joinRun } from './enrol/join-run.js';
export { takeLock } from './enrol/lock.js';
export type { RunLabels } from './enrol/run-labels.js';

/** The complete public surface of @subluminal/mcp: named exports only. */
export { takeAnswer } from './adapter/answers.js';
export { endWithout } from './adapter/call-end.js';
export { brokenAnswer, errorAnswer, invalidAnswer } from './adapter/error-answer.js';
export { INTERNAL_ERROR } from './adapter/forgery.js';
export { type Flight, InFlight } from './adapter/in-flight.js';
export { Lane } from './adapter/lane.js';
export { DEFAULT_LIMITS, type SessionLimits } from './adapter/limits.js';
export type { Outbox, Payload, Place, Room, Stored } from './adapter/outbox.js';
export { takeNotification, takeRequest } from './adapter/requests.js';
export { type Arrival, type Direction, Traffic, TrafficState } from './adapter/traffic.js';
export { errorOf } from './core/answer-error.js';
export type { Away } from './core/away.js';
export {
  type CallEnd,
  type Core,
  type ListedPage,
  type ListVerdict,
  type Refused,
  type ToolCall,
  UninspectedArgs,
} from './core/contract.js';
export { CoreClient } from './core/core-client.js';
export { GatewaySession } from './core/gateway-session.js';
export { runLabels } from './enrol/environment.js';
export { joinRun } from './enrol/join-run.js';
export { takeLock } from './enrol/lock.js';
export type { RunLabels } from './enrol/run-labels.js';
export { hidingCore } from './hiding/hiding-core.js';
export { type HeldSecret, ServerSecrets } from './hiding/server-secrets.js';
export type { ValueMask } from './hiding/value-mask.js';
export { EnvelopeReader } from './json-scan/envelope-reader.js';
export { Judge } from './message/judge.js';
export { type Message, type MessageId, refuse, type Refusal } from './message/message.js';
export { isReadAsAnother } from './message/names.js';
export { LargeMessage, type Spooled } from './spool/large-message.js';
export { Spool } from './spool/spool.js';

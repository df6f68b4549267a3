/** The complete public surface of @subluminal/core-types: named exports only. */
export { ERROR_CODES, isErrorCode, type ErrorCode } from './errors/codes.js';
export { SublError, isSublError, type SublErrorOptions } from './errors/subl-error.js';
export {
  ACTIONS,
  CREDENTIAL_KINDS,
  SERVICE_ACTIONS,
  isActionName,
  type ActionDefinition,
  type ActionName,
  type CredentialKind,
  type ServiceAction,
} from './schema/actions.js';
export { GatewayConfig } from './schema/config.js';
export { Credential, RunOpened, Ticket } from './schema/credential.js';
export {
  Decision,
  DecisionAction,
  DecisionErrorData,
  Hint,
  INTERFACE_VERSION,
  PolicyRef,
  RESERVED_ERROR_CODES,
  Severity,
} from './schema/decision.js';
export {
  HintIssuedEvent,
  PolicyLoadedEvent,
  RunEndEvent,
  RunStartEvent,
  SublEvent,
  ToolCallDecisionEvent,
  ToolCallEndEvent,
  ToolCallStartEvent,
} from './schema/event.js';
export { ClientName, EnvName, ProcessIdentity, Workload } from './schema/identity.js';
export { JsonObjectSchema, JsonValueSchema, Label, Sha256Hex, Timestamp } from './schema/json.js';
export { CalendarCreatePayload, CalendarFetchPayload } from './schema/payloads/calendar.js';
export { EmailFetchPayload, EmailSendPayload } from './schema/payloads/email.js';
export {
  AllowAddPayload,
  AllowIdPayload,
  ApprovalIdPayload,
  EmptyPayload,
  RunsListPayload,
} from './schema/payloads/operator.js';
export { FinanceFetchPayload, HealthFetchPayload } from './schema/payloads/records.js';
export { RunBeginPayload, RunEndPayload, RunReadPayload, RunStatus } from './schema/payloads/run.js';
export { HttpMethod, ServiceApiCallPayload } from './schema/payloads/service.js';
export {
  CallError,
  CallStatus,
  ToolCallBeginPayload,
  ToolCallEndPayload,
  Transport,
  Uninspected,
} from './schema/payloads/tool-call.js';
export {
  DropReason,
  MessageDroppedPayload,
  UpstreamBeginPayload,
  UpstreamEndPayload,
} from './schema/payloads/upstream.js';
export { PolicyBundle, PolicyRule, PolicySelectors, RuleMatch } from './schema/policy-bundle.js';
export { ActionRequest, ActionResponse, RequestId, ResponseError, ResponseStatus } from './schema/request.js';

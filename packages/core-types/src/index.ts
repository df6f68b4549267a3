/** The complete public surface of @subluminal/core-types: named exports only. */
export {
  MAX_SNAPSHOT_CHARS,
  MAX_SNAPSHOT_MS,
  signHead,
  snapshotPublicText,
  snapshotSigningKey,
  verifyHead,
  type SnapshotHead,
} from './away/snapshot-head.js';
export {
  deriveSpoolKey,
  NO_LINE,
  readSpool,
  spoolHeader,
  unverifiedBodies,
  writeSpoolLine,
  type SpoolFault,
  type SpoolLine,
  type SpoolReading,
} from './away/spool-lines.js';
export { MAX_SPOOL_BYTES, MAX_SPOOL_CALLS } from './away/spool-limits.js';
export { errorOf } from './errors/answer-error.js';
export { ERROR_CODES, isErrorCode, type ErrorCode } from './errors/codes.js';
export { firstMistake, type Mistake } from './errors/mistake.js';
export { STOPPED_BY_OPERATOR } from './errors/stopped-by-operator.js';
export { SublError, isSublError, type SublErrorOptions } from './errors/subl-error.js';
export {
  ACTIONS,
  CREDENTIAL_KINDS,
  ADAPTER_ACTIONS,
  SERVICE_ACTIONS,
  WIDENING_ACTIONS,
  WORLD_ACTIONS,
  isActionName,
  type ActionDefinition,
  type ActionName,
  type CallerKind,
  type CredentialKind,
  type PayloadOf,
  type AdapterAction,
  type ServiceAction,
} from './schema/actions.js';
export { GatewayConfig } from './schema/config.js';
export { ANY_NAME, configKeys } from './schema/config-keys.js';
export { Credential, RunOpened, Ticket } from './schema/credential.js';
export {
  Decision,
  DecisionAction,
  DecisionErrorData,
  Hint,
  HintKind,
  PolicyRef,
  Severity,
} from './schema/decision.js';
export {
  AnyEvent,
  BreakerTripEvent,
  HintIssuedEvent,
  PolicyLoadedEvent,
  RunEndEvent,
  RunStartEvent,
  SecretInjectionEvent,
  ShimHealthEvent,
  SublEvent,
  ToolCallDecisionEvent,
  ToolCallEndEvent,
  ToolCallStartEvent,
} from './schema/event.js';
export {
  type ClientSide,
  describeMismatch,
  isNewer,
  nextStep,
  PROTOCOL,
  type Speaks,
  versionMisfit,
} from './schema/protocol.js';
export { INTERFACE_VERSION, RESERVED_ERROR_CODES } from './schema/reserved.js';
export { ClientName, EnvName, ProcessIdentity, Workload } from './schema/identity.js';
export { JsonObjectSchema, JsonValueSchema, Label, Rfc3339, Sha256Hex, Timestamp } from './schema/json.js';
export {
  ACCOUNT_KINDS,
  ACCOUNT_SETTINGS,
  AccountKind,
  AccountName,
  ApiSettings,
  CalendarSettings,
  EmailSettings,
  FinanceSettings,
  HealthSettings,
  MailSecurity,
  type AccountSettings,
  type MailServer,
} from './schema/account.js';
export { setupTokenUrl } from './schema/setup-token.js';
export {
  AccountAddPayload,
  AccountClaimPayload,
  AccountListPayload,
  AccountNamePayload,
  AccountTestPayload,
} from './schema/payloads/account.js';
export {
  CalendarCreatePayload,
  CalendarFetchPayload,
  CalendarUpdatePayload,
} from './schema/payloads/calendar.js';
export { EmailFetchPayload, EmailSendPayload } from './schema/payloads/email.js';
export {
  AllowAddPayload,
  AllowIdPayload,
  ApprovePayload,
  DenyPayload,
  EmptyPayload,
  PanicBeginPayload,
  RunsListPayload,
} from './schema/payloads/operator.js';
export {
  NetConnectPayload,
  NetEndPayload,
  NetNamePayload,
  NetOutcome,
  NetVia,
} from './schema/payloads/net.js';
export type { FsDiff } from './schema/payloads/fs-diff.js';
export type {
  LayerCommitPayload,
  LayerDiscardPayload,
  LayerEndPayload,
  LayerRecoverPayload,
} from './schema/payloads/layer.js';
export type { UiLayerPayload, UiRulePayload } from './schema/payloads/ui.js';
export { WorldClosePayload, WorldOpenPayload, WorldResumePayload } from './schema/payloads/world.js';
export { FinanceFetchPayload, HealthFetchPayload } from './schema/payloads/records.js';
export { PROJECT_FILE } from './schema/payloads/policy.js';
export {
  MAX_RUN_POLICY_CHARS,
  RunBeginPayload,
  RunEndPayload,
  RunReadPayload,
  RunStatus,
} from './schema/payloads/run.js';
export {
  ForeignRunId,
  ingestKey,
  IngestSource,
  isIngestKey,
  RunIngestPayload,
} from './schema/payloads/ingest.js';
export { HttpMethod, ServiceApiCallPayload } from './schema/payloads/service.js';
export {
  SecretsAddPayload,
  SecretsBoundPayload,
  SecretsInjectedPayload,
  SecretsKeptPayload,
  SecretsNamePayload,
  SecretsReleased,
  SecretsReleasePayload,
} from './schema/payloads/secrets.js';
export {
  type CommandBinding,
  type HeaderBinding,
  isHeaderBinding,
  SecretBinding,
  SecretHost,
  SecretInject,
  SecretName,
  secretPlaceOf,
  SecretSource,
} from './schema/secret-binding.js';
export { SpoolIngestPayload } from './schema/payloads/spool.js';
export {
  CallError,
  CallStatus,
  ToolCallBeginPayload,
  ToolCallEndPayload,
  CallVia,
  Transport,
  Uninspected,
} from './schema/payloads/tool-call.js';
export { HookContextPayload, HookEventPayload } from './schema/payloads/hooks.js';
export { PLANE_CLASSES, PLANE_ENTRIES, type PlaneEntryType } from './schema/plane-entry.js';
export {
  ToolsApprovePayload,
  ToolsDiffPayload,
  ToolsForgetPayload,
  ToolsListedPayload,
  ToolsListPayload,
} from './schema/payloads/tools.js';
export { MAX_CARRIED_ENDS } from './schema/payloads/carried-ends.js';
export {
  DropReason,
  MessageDroppedPayload,
  UpstreamBeginPayload,
  UpstreamEndPayload,
} from './schema/payloads/upstream.js';
export { policySchemaText } from './schema/policy-schema.js';
export { PolicyWorld, type PolicyWorldProfile } from './schema/policy-world.js';
export { PolicyBundle, PolicyRule, PolicySelectors, RuleMatch } from './schema/policy-bundle.js';
export { ActionRequest, ActionResponse, RequestId, ResponseError, ResponseStatus } from './schema/request.js';
export { FrameDecoder } from './frame/decoder.js';
export { encodeFrame } from './frame/encode.js';
export { payloadText, type PayloadText } from './frame/quick-frame.js';
export { FrameReader, type ReadFrame } from './frame/read-frame.js';
export { DEFAULT_MAX_FRAME_BYTES } from './frame/limits.js';
export { argsHash, sha256Hex, StreamHash } from './hash/node.js';
export { hostInUrl, readHost } from './host/host.js';
export type { HostReading } from './host/host.js';
export { newId, newRunId, PROTOCOL_PREFIX, REQUEST_ID } from './ids/ids.js';
export { canonicalize } from './json/canonicalize.js';
export { compareCodePoints } from './json/code-points.js';
export { assertTextDepth, MAX_DEPTH } from './json/depth.js';
export {
  listAt,
  momentAt,
  numberAt,
  objectAt,
  own,
  processAt,
  textAt,
  textsAt,
  valueAt,
} from './json/fields.js';
export { hasMoreParts, isOverFrameParts, MAX_MESSAGE_PARTS } from './json/parts.js';
export { canonicalNumber } from './json/number.js';
export { hexDigit } from './json/hex-digit.js';
export { parseJson, type ParseOptions } from './json/parse.js';
export { parseJsonInTurns } from './json/parse-in-turns.js';
export { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from './json/value.js';
export { startOf, toWellFormed } from './json/well-formed.js';
export { readBase64 } from './note/base64.js';
export type { KeyRole } from './note/key-text.js';
export { publicKeyFromRaw, rawPublicKey } from './note/raw-key.js';
export {
  isKeyName,
  MAX_NOTE,
  readNote,
  readSignatureLine,
  signatureLine,
  type NoteSignature,
  type SignedNote,
} from './note/signed-note.js';
export { newSignerKey, readSignerKey, type SignerKey } from './note/signer-key.js';
export {
  cosignNote,
  readVerifierKey,
  renderVerifierKey,
  signNote,
  verifierKey,
  verifyNote,
  type Verified,
  type VerifierKey,
} from './note/verifier-key.js';
export { Automaton, type Units } from './redact/automaton.js';
export {
  exactMask,
  exactSpans,
  type ExactMask,
  hiddenMark,
  type HiddenValue,
  maskedJson,
  maskedObject,
  writingsOf,
} from './redact/exact.js';
export { redactFsDiff } from './redact/fs-diff.js';
export { MAX_PREVIEW_BYTES, previewOf, type Preview } from './redact/preview.js';
export { type FindValues, NO_VALUES } from './redact/mask.js';
export { redact, type Redacted, withoutValues } from './redact/redact.js';
export { shownEvent, shownEventSteps } from './redact/shown-event.js';
export { headerKey, headerValueProblem } from './secrets/header.js';
export { MAX_SECRET_BYTES, secretProblem } from './secrets/value.js';
export { isSteering } from './secrets/variable.js';
export { clientProof, handshakeTranscript, serverProof, type HandshakeFields } from './sign/handshake.js';
export {
  ENROL_TOKEN_PREFIX,
  httpRunSecret,
  httpRunToken,
  readRunToken,
  RUN_TOKEN_PREFIX,
} from './sign/http-token.js';
export { PROXY_TOKEN_PREFIX, proxyRunSecret, proxyRunToken, readProxyToken } from './sign/proxy-token.js';
export { decodeKey, deriveKey, deriveSession, encodeKey, type SessionKeys } from './sign/keys.js';
export {
  macEquals,
  pushMac,
  requestMac,
  responseMac,
  type MacKey,
  type PushMacFields,
  type RequestMacFields,
  type ResponseMacFields,
} from './sign/macs.js';
export { SessionKey } from './sign/session-key.js';
export { signRequest, verifyRequest, type SignableRequest } from './sign/request.js';
export { AuditEntry } from './schema/audit.js';
export { nextTurn } from './turn/next-turn.js';
export { commandText, shellQuoted, shellWord } from './shell/shell-word.js';
export { writeHidden } from './text/hidden.js';
export {
  type CheckpointText,
  readCheckpointText,
  readSize,
  renderCheckpointText,
} from './proof/checkpoint-text.js';
export { type Growth, readGrowth, renderGrowth } from './proof/growth.js';
export { preimage } from './proof/leaf.js';
export {
  type ConsistencyClaim,
  type InclusionClaim,
  verifyConsistency,
  verifyInclusion,
} from './proof/verify-proof.js';

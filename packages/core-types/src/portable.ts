/**
 * The surface of @subluminal/core-types/portable: the contracts that need no Node, for a browser as well.
 * Nothing that this imports, however far away, is a module of Node or a global that only Node has.
 */
export { MAX_SPOOL_BYTES, MAX_SPOOL_CALLS } from './away/spool-limits.js';
export { ERROR_CODES, isErrorCode, type ErrorCode } from './errors/codes.js';
export { firstMistake, type Mistake } from './errors/mistake.js';
export { SublError, isSublError, type SublErrorOptions } from './errors/subl-error.js';
export { argsHash, sha256Bytes, sha256Hex, StreamHash } from './hash/portable.js';
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
export { canonicalNumber } from './json/number.js';
export { hasMoreParts, isOverFrameParts, MAX_MESSAGE_PARTS } from './json/parts.js';
export { parseJson, type ParseOptions } from './json/parse.js';
export { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from './json/value.js';
export { startOf, toWellFormed } from './json/well-formed.js';
export { cosignedBytes, noteClaims, type NoteClaim } from './note/claims.js';
export { noteKey, readKeyText, renderKeyText, type KeyRole, type NoteKey } from './note/key-text.js';
export { base64Bytes, base64Text } from './note/portable-base64.js';
export {
  isKeyName,
  MAX_NOTE,
  readNote,
  readSignatureLine,
  signatureLine,
  type NoteSignature,
  type SignedNote,
} from './note/signed-note.js';
export {
  type CheckpointText,
  readCheckpointText,
  readSize,
  renderCheckpointText,
} from './proof/checkpoint-text.js';
export { type Growth, readGrowth, renderGrowth } from './proof/growth.js';
export { preimage } from './proof/leaf.js';
export { type Inclusion, readInclusion } from './proof/inclusion.js';
export { verifyConsistency, verifyInclusion } from './proof/verify-proof.js';
export { GrowingTree } from './proof/tree.js';
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
export { MAX_PREVIEW_BYTES, previewOf, type Preview } from './redact/preview.js';
export { type FindValues, NO_VALUES } from './redact/mask.js';
export { redact, type Redacted, withoutValues } from './redact/redact.js';
export { shownEvent } from './redact/shown-event.js';
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
export { policySchemaText } from './schema/policy-schema.js';
export { PolicyBundle, PolicyRule, PolicySelectors, RuleMatch } from './schema/policy-bundle.js';
export { ActionRequest, ActionResponse, RequestId, ResponseError, ResponseStatus } from './schema/request.js';
export { AuditEntry } from './schema/audit.js';
export { commandText, shellQuoted, shellWord } from './shell/shell-word.js';
export { writeHidden } from './text/hidden.js';

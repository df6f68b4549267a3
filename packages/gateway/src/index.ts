/** The complete public surface of @subluminal/gateway: named exports only. */
export { ANOMALY_KINDS } from './anomaly/flag.js';
export type { AnomalyFlag, AnomalyKind, AnomalyReaction, AnomalyReactions, Finding } from './anomaly/flag.js';
export type {
  AnomalyInput,
  Confirmed,
  Detector,
  Read,
  RunSubject,
  Sends,
  Target,
  ToolReads,
} from './anomaly/port.js';
export { asksByLimit } from './approvals/asked-rule.js';
export type { ApprovalInput, ApprovalSubject, Grants, Questions } from './approvals/port.js';
export type { Question, QuestionState, QuestionSubject, Reach, ClosedBy } from './approvals/question.js';
export type { Clock, RandomBytes } from './base/clock.js';
export type { FileWatch } from './base/file-watch.js';
export { KeyRing } from './base/keys.js';
export type { Lifecycle } from './base/lifecycle.js';
export { LogFile, type LogBounds } from './base/log-file.js';
export { createLogger, errorText } from './base/logger.js';
export type { LeveledLogger, Logger } from './base/logger.js';
export { LOOPBACK, listenOnLoopback } from './base/loopback-door.js';
export type { ClientDoor } from './base/loopback-door.js';
export { Mutex } from './base/mutex.js';
export { connectionBounds, openFileLimit } from './base/open-files.js';
export type { ConnectionBounds } from './base/open-files.js';
export { writePrivateFile } from './base/private-file.js';
export { seal, unseal } from './base/sealed.js';
export { steadyClock } from './base/steady-clock.js';
export { Ticking, startTicking } from './base/ticking.js';
export { configForm, type ConfigFile } from './config/form.js';
export type { StartConfig } from './config/in-force.js';
export { loadConfig, requireConfig, requireUsable } from './config/load.js';
export type { UsableConfig } from './config/load.js';
export { hasMore, isLater, neverLooser } from './config/ranks.js';
export type { ConfigSection } from './config/section.js';
export { ServerClaims } from './config/server-claims.js';
export { Settings } from './config/settings.js';
export type { AllowQuery, Allowed } from './destination/allowed.js';
export { advised, listed, notListed } from './destination/listed.js';
export { decidedData, settle, shownOrigin, stillHolds } from './destination/settle.js';
export type { Decided, HoldParts, SettleParts, Settled } from './destination/settle.js';
export { BEGINS, ENDS, TELLS, life } from './families/life/life.js';
export { messageDropped } from './families/life/message-dropped.js';
export { panicBegin } from './families/life/panic-begin.js';
export { ProxyPlace, proxyTold } from './families/life/proxy-place.js';
export type { ProxyTold } from './families/life/proxy-place.js';
export { runBegin } from './families/life/run-begin.js';
export { runEnd } from './families/life/run-end.js';
export { runIngest } from './families/life/run-ingest.js';
export { secretsHeld } from './families/life/secrets-held.js';
export { secretsInjected } from './families/life/secrets-injected.js';
export { secretsRelease } from './families/life/secrets-release.js';
export { upstreamBegin } from './families/life/upstream-begin.js';
export { upstreamEnd } from './families/life/upstream-end.js';
export { verbRefused } from './families/life/verb-refused.js';
export { gatewayStop } from './families/operate/gateway-stop.js';
export { hintsPromote } from './families/operate/hints-promote.js';
export { operate, operateRecorded } from './families/operate/operate.js';
export { panicEnd } from './families/operate/panic-end.js';
export { readPolicyFile } from './policy/file.js';
export { policyReload } from './families/operate/policy-reload.js';
export { secretsAdd } from './families/operate/secrets-add.js';
export { secretsBound } from './families/operate/secrets-bound.js';
export { secretsKept } from './families/operate/secrets-kept.js';
export { secretsRemove } from './families/operate/secrets-remove.js';
export { secretsReveal } from './families/operate/secrets-reveal.js';
export { REACHES_NOTHING } from './families/reaches-nothing.js';
export { gatewayStatus } from './families/read/gateway-status.js';
export { policyExplain } from './families/read/policy-explain.js';
export { policyShow } from './families/read/policy-show.js';
export { read } from './families/read/read.js';
export { runRead } from './families/read/run-read.js';
export { runsList } from './families/read/runs-list.js';
export { secretsList } from './families/read/secrets-list.js';
export { toolCallBegin } from './families/tool/begin.js';
export { toolCallEnd } from './families/tool/end.js';
export type { Inspection } from './families/tool/entries.js';
export { inTime } from './lookup/in-time.js';
export { nearest, type ResolvePath } from './lookup/nearest.js';
export { CallObjects } from './objects/call-objects.js';
export type { ObjectParts } from './objects/call-objects.js';
export { decisionFacts } from './limits/facts.js';
export { LimitStore } from './limits/limit-store.js';
export type { LimitsWatch } from './limits/run-limits.js';
export { Bucket, Buckets } from './pace/bucket.js';
export { EnrolmentLimit } from './pace/enrolments.js';
export { RateLimiter } from './pace/rate-limiter.js';
export { RejectionBuckets } from './pace/rejections.js';
export { RunShares } from './pace/share.js';
export type { RunShare } from './pace/share.js';
export { Turns } from './pace/turns.js';
export { PanicStore } from './panic/panic-store.js';
export { Panic } from './panic/panic.js';
export { admitStage } from './pipeline/admit.js';
export { anomalyStage } from './pipeline/anomaly.js';
export type { Call } from './pipeline/call.js';
export type { Caller, CallerWorld } from './pipeline/caller.js';
export { decideStage } from './pipeline/decide.js';
export { anomalyEntry, pendingEntry, resultEntry } from './pipeline/entries.js';
export { executeStage } from './pipeline/execute.js';
export { pendingStage } from './pipeline/pending.js';
export { openPipeline } from './pipeline/pipeline.js';
export type { ActionTable, FrameDoor, InnerDoor } from './pipeline/pipeline.js';
export { refuse, refuseFor, success } from './pipeline/reply.js';
export type { Outcome, Refusal, Reply } from './pipeline/reply.js';
export { resultStage } from './pipeline/result.js';
export { schemaStage } from './pipeline/schema.js';
export { signatureStage } from './pipeline/signature.js';
export type {
  Action,
  ActionOf,
  Executed,
  Passed,
  ReadSteps,
  RecordedSteps,
  Steps,
} from './pipeline/steps.js';
export { stoppedStage } from './pipeline/stopped.js';
export { acceptanceOf } from './policy/accept.js';
export { PolicyHolder } from './policy/holder.js';
export { policyData } from './policy/policy-data.js';
export { watchPolicy } from './policy/watch.js';
export { Reaper } from './processes/reaper.js';
export { sweepTickets } from './processes/tickets.js';
export { ProcessWatch } from './processes/watch.js';
export { BudgetGate } from './recording/budget-gate.js';
export { LateResults } from './recording/late-results.js';
export { Recorder, auditRef } from './recording/recorder.js';
export { shownHint } from './recording/shown-hint.js';
export { decisionData } from './runs/decision-data.js';
export type { KnownTool, KnownTools, ToolFacts } from './runs/known-tools.js';
export { RunLifecycle } from './runs/lifecycle.js';
export { LimitKeeper } from './runs/limit-keeper.js';
export { RunRegistry } from './runs/registry.js';
export type { RunPlaces } from './runs/registry.js';
export { restoreState } from './runs/restore.js';
export { Run } from './runs/run.js';
export type { OpenCall, RunSession } from './runs/run.js';
export { SweepKeeper } from './runs/sweep-keeper.js';
export { tellRunsOfPolicy } from './runs/tell-policy.js';
export { UnheardEntries } from './runs/unheard.js';
export { unreportedEndEntry } from './runs/unreported-end.js';
export { HeaderSecrets } from './secrets/header-secrets.js';
export { ReleasePace } from './secrets/pace.js';
export { Placeholders } from './secrets/placeholders.js';
export type { LiveSecret } from './secrets/placeholders.js';
export { RunSecrets } from './secrets/run-secrets.js';
export { SecretStore } from './secrets/store.js';
export { removeTrustFiles } from './secrets/trust-files.js';
export { Trust } from './secrets/trust.js';
export { SharedRoom } from './sessions/shared-room.js';
export { Connection } from './sessions/connection.js';
export type { ShownIdentity } from './sessions/handshake.js';
export type { Connected, Reached } from './sessions/inner-answers.js';
export { innerClient } from './sessions/inner-client.js';
export { InnerSession } from './sessions/inner-session.js';
export type { InnerAsker } from './sessions/inner-session.js';
export { DEFAULT_PEER_LIMITS } from './sessions/limits.js';
export type { PeerLimits } from './sessions/limits.js';
export { HandshakePace } from './sessions/handshake-pace.js';
export { Listener } from './sessions/listener.js';
export { RefusedPeers } from './sessions/refused-peers.js';
export type { RefusalReason } from './sessions/refused-peers.js';
export { Session } from './sessions/session.js';
export { openGatewayDb } from './store/gateway-db.js';
export { GivenHeaders } from './store/given-headers.js';
export { HeldSecretStore } from './store/held-secrets.js';
export { IdentityStore } from './store/identity.js';
export type { Identity } from './store/identity.js';
export { LiveRuns } from './store/live-runs.js';
export { PolicyStore } from './store/policy-source.js';
export { narrowingOf } from './projects/narrowing.js';
export type { Beginning, BoundRun, Projects, RunNarrowing } from './projects/port.js';
export { RunPolicyStore } from './store/run-policies.js';
export { createTables } from './store/schema.js';
export { ServedStore } from './store/served.js';
export type { Served } from './store/served.js';
export { SettingsStore } from './store/settings-store.js';
export { SweepStore } from './store/sweep-store.js';
export { UpstreamStore } from './store/upstreams.js';
export { VERSION } from './version.js';
export type { Wing } from './wing.js';
export { SlidingWindow } from './pace/sliding-window.js';

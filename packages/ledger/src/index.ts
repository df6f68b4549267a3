/** The complete public surface of @subluminal/ledger: named exports only. */
export type { BlobCommitment, BlobState } from './entry/blob.js';
export type { AppendGroup, AppendResult, EntryInput, EntryPosition, EntryRef } from './entry/input.js';
export { CODES, KINDS, type CodeName, type EntryType } from './entry/kinds.js';
export { backupLedger, unfinishedBackups, type BackupOptions } from './backup/backup.js';
export { exportRun, type ExportRunOptions } from './bundle/export.js';
export type { BundleFaultClass } from './bundle/fault.js';
export { BundleFault } from './bundle/fault.js';
export { bundleLines } from './bundle/file-reader.js';
export { BUNDLE_FILES, BUNDLE_FORMAT, BUNDLE_MANIFEST } from './bundle/form.js';
export type { BundleManifest, FileMark } from './bundle/manifest.js';
export { verifyBundle, type BundleReport, type VerifyBundleOptions } from './bundle/verify.js';
export { checkManifest, type Manifest } from './backup/manifest.js';
export { planRestore, type PlanOptions, type RestorePlan } from './restore/plan.js';
export { isReason } from './restore/record.js';
export { restoreLedger, type RestoreOptions } from './restore/restore.js';
export type { ExpiryReport } from './expiry/expire.js';
export { holdsUpExpiry } from './expiry/held-up.js';
export { createLedger, type CreateLedgerOptions } from './genesis/create.js';
export type { Genesis } from './genesis/record.js';
export { MerkleTree } from './merkle/tree.js';
export {
  verifyConsistency,
  verifyInclusion,
  type ConsistencyClaim,
  type InclusionClaim,
} from './merkle/verify-proof.js';
export { renderCheckpointText, type CheckpointText } from './note/checkpoint-text.js';
export { openLogNote } from './note/open-log-note.js';
export { splitNotes, type NoteFile } from './note/split-notes.js';
export { readGrowth, renderGrowth, type Growth } from './proof/growth.js';
export { LedgerProver, type SignedHead } from './proof/prover.js';
export { AuditTrail } from './read/audit-trail.js';
export type { CallRows, RunRows } from './read/related.js';
export { inspectLedger, type LedgerGlance } from './read/inspect.js';
export { tidyLedger } from './read/tidy.js';
export type { SeenOutcome } from './read/outcomes.js';
export type { LimitTrailEntry, LimitTrailQuestion } from './read/limit-trail.js';
export { LedgerReader, openLedgerReader, type Page, type PageOptions } from './read/reader.js';
export type { CallStart, CallStep, CallStepsOptions } from './read/call-steps.js';
export { nameOfMissing, type MissingSegments } from './read/places.js';
export { isContractEvent } from './read/event.js';
export type { LedgerRow } from './read/row.js';
export {
  callCounts,
  countsOf,
  type CallCounts,
  type CallSeries,
  type RunCount,
  type RunTally,
} from './read/run-tally.js';
export type { SweepMemory, SweepQuestion, Swept } from './read/sweep.js';
export type { Durability } from './schema/connection.js';
export type { MemoryState } from './store/prove.js';
export type { FlushReason } from './store/store.js';
export type { AnchoredRoot, OutsideMemory, Receipt } from './verify/outside.js';
export type { Finding, FindingClass, Verdict, VerifyReport } from './verify/report.js';
export { verifyLedger, type VerifyOptions } from './verify/verify.js';
export type { CommitNotice } from './writer/commit-queue.js';
export { openLedger, type Ledger, type OpenLedgerOptions } from './writer/ledger.js';

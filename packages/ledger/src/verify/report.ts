/** What is wrong with an entry or the ledger; the class of a finding. */
export type FindingClass =
  | 'schema' // tables, indexes, triggers or views are not as created
  | 'genesis' // the genesis record is missing, changed or not the pinned one
  | 'page' // the file is damaged: integrity_check, or SQLite could not read it
  | 'missing' // an entry is not there
  | 'stray' // an entry stands outside of the numbering from 1
  | 'type' // a column holds a value of the wrong type, or bytes that are not text
  | 'hash' // an entry does not have its hash
  | 'column' // a projected column does not say what the body says
  | 'dict' // a name in dict is unused, changed or of the wrong kind
  | 'run_chain' // an entry is not the next of its run, or follows the run's end
  | 'pairing' // an entry refers to one that it may not refer to
  | 'blob' // a blob is missing, changed, or nobody committed to it
  | 'seen' // a claimed request id and its entry do not agree
  | 'head' // the signed head does not verify or does not fit the entries
  | 'heads_log' // the outside memory knows another or a longer ledger
  | 'seal' // a seal does not verify or is not in its place, or the seal key is not the one of the newest
  | 'tile' // a stored node of the tree is missing, changed, or belongs to no entries
  | 'segment' // where a file of the ledger begins or ends does not fit the files beside it
  | 'receipt' // somebody was given another leaf for an entry, or one that is not there
  | 'anchor'; // a signed checkpoint outside names another root, or more entries

/** The first thing found wrong. `seq` 0 where no entry can be named. */
export interface Finding {
  readonly seq: number;
  readonly class: FindingClass;
  readonly detail: string;
}

/**
 * `ok`: everything recomputed, signed, and a prefix of it remembered outside. `unproven`: consistent, but
 * nothing outside proves that it is the newest. `tampered`: it contradicts itself or the memory. `unchecked`:
 * it could not be read to the end.
 */
export type Verdict = 'ok' | 'unproven' | 'tampered' | 'unchecked';

/** Exit status for each verdict (docs/format.md, "Verdicts"). */
export const VERDICT_EXIT = { ok: 0, unproven: 6, tampered: 4, unchecked: 1 } as const;

/** The outcome of `verifyLedger`. */
export interface VerifyReport {
  readonly verdict: Verdict;
  readonly exit: 0 | 6 | 4 | 1;
  /** The first bad entry and its class; null unless tampered. */
  readonly finding: Finding | null;
  /** Why the verdict is `unproven` or `unchecked`. */
  readonly reasons: readonly string[];
  /** Advice where the ledger could not be read; null where there is none. */
  readonly help: string | null;
  readonly ledgerId: string | null;
  readonly genesisFingerprint: string | null;
  /** Entries of the ledger; of those, the ones before `segments.first` are not there. */
  readonly entries: number;
  /** Its files: how many were verified, the newest among them, and how many are not there. */
  readonly segments: {
    readonly verified: number;
    readonly missing: number;
    /** The first entry that was verified: 1, unless files are missing. */
    readonly first: number;
  };
  readonly runs: number;
  /** Previews that are there. */
  readonly blobs: number;
  /** Previews that have expired, by the ledger's own entries. */
  readonly expired: number;
  /** Pending actions and ALLOW decisions without a result: normal while a gateway serves them. */
  readonly open: number;
  /** Merkle root over all entries, lowercase hex. */
  readonly root: string | null;
  /** Entries that the signed head covers. */
  readonly headSize: number | null;
  /** Seals that verified, and the entries that the newest of them covers. */
  readonly seals: number;
  readonly sealedSize: number;
  /** What is worth knowing beside the verdict. */
  readonly notes: readonly string[];
  /** The newest line of the outside memory. */
  readonly memory: { readonly size: number; readonly ts: number } | null;
}

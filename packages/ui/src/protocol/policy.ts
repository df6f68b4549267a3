import type { JsonObject } from '@subluminal/core-types/portable';

/** A rule in the order in which it is asked, and how often it decided. */
export interface RuleRow {
  readonly id: string;
  readonly kind: string;
  readonly enabled: boolean;
  /** Decisions by it since `since`. */
  readonly hits: number;
  /** Of them those that let nothing pass, and asked nobody. */
  readonly refused: number;
}

/** A policy that was in force, for all calls or for those of a run. */
export interface PolicyVersion {
  /** The entry of its loading. */
  readonly seq: number;
  readonly ts: number;
  readonly id: string;
  readonly hash: string;
  /** Where it came from: a file, who signed it, the project or the run that it narrowed. */
  readonly by: string;
}

export interface PolicyView {
  /** As `sub policy show --json` prints it. */
  readonly policy: JsonObject;
  /** Its normal form, which is hashed, as indented JSON. */
  readonly text: string;
  readonly rules: readonly RuleRow[];
  /** Hits are counted from then on, epoch ms. */
  readonly since: number;
  /** Older decisions were not counted. */
  readonly partial: boolean;
  readonly versions: readonly PolicyVersion[];
  /** Why the file that is there now is not in force. */
  readonly problem: string | null;
}

export interface PolicyCompared {
  readonly old: { readonly hash: string; readonly text: string };
  readonly new: { readonly hash: string; readonly text: string };
  /** As `sub policy diff --json` prints it: what is loosened and what is tightened. */
  readonly diff: JsonObject;
}

/** The policy file as it is on the disk, beside the policy in force. */
export interface PolicyFile {
  /** The difference; null if it cannot be read or has a mistake. */
  readonly compared: PolicyCompared | null;
  /** Why there is nothing to compare. */
  readonly problem: string | null;
}

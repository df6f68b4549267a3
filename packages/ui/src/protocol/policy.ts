import type { JsonObject } from '@subluminal/core-types/portable';

/** A rule in the order in which it is asked, and how often it decided. */
export interface RuleRow {
  readonly id: string;
  readonly kind: string;
  readonly enabled: boolean;
  /** Decisions by it since `since`. */
  readonly hits: number;
  /** Of them those that asked a person, with how that ended, and those that refused: `asked 4: 1 approved`. */
  readonly how: string;
}

/** A version of a policy that was in force. */
export interface PolicyVersion {
  /** The entry of its loading. */
  readonly seq: number;
  readonly ts: number;
  readonly id: string;
  readonly version: string;
  readonly hash: string;
  /** Where it came from: a file, who signed it, the project or the run that it narrowed. */
  readonly by: string;
}

/** One policy, and the versions of it that the record has, newest first. */
export interface PolicyPart {
  /** That of the home decides everywhere; others narrow it for runs in a project, or for those that brought it. */
  readonly of: 'home' | 'project' | 'run';
  readonly id: string;
  /** The path of its file, or words in the place of one. */
  readonly from: string;
  /** The version that is in force; null where none is. */
  readonly now: {
    readonly hash: string;
    readonly version: string;
    readonly mode: string;
    /** Of a project's: how its file is to the text that was trusted (`trusted`, `changed`, `removed`). */
    readonly file: string;
  } | null;
  /** Of what is in force; empty where no run has loaded it yet. */
  readonly rules: readonly RuleRow[];
  /** Its normal form, which is hashed, as indented JSON; null where the record does not have it. */
  readonly text: string | null;
  readonly versions: readonly PolicyVersion[];
}

export interface PolicyView {
  /** As `sub policy show --json` prints it. */
  readonly policy: JsonObject;
  /** First those in force, that of the home before all. */
  readonly parts: readonly PolicyPart[];
  /** Hits are counted from then on, epoch ms. */
  readonly since: number;
  /** Older decisions were not counted. */
  readonly partial: boolean;
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

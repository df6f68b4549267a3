import type { Access } from './effects/touch.js';
import type { KeptKeys } from './named-keys.js';

/** A file that a call names. */
export interface PathReading {
  /**
   * The absolute forms in which it may be meant: by its words, from each folder, and once more as the file
   * system resolves it. Marks of `shell/marks.ts` stand for text that only run time knows.
   */
  readonly forms: readonly string[];
  /** Those that have `..` in them, as they were written: where links lead is another place then. */
  readonly climbs: readonly string[];
  readonly access: Access;
  readonly is_recursive: boolean;
}

/** A simple command of a call. */
export interface CommandReading {
  /** The base name; a mark where only run time knows it. */
  readonly program: string;
  /** The program by its base name and the words behind it, quotes removed, joined by one space. */
  readonly argv: string;
  /** The program as it was written: a path where it is one. */
  readonly spelled: string;
  /** The programs that start it, outermost first. */
  readonly via: readonly string[];
  /** Absolute forms of the files that it writes or deletes. */
  readonly writes_to: readonly string[];
  readonly network: boolean;
  /** It runs text that only run time knows. */
  readonly runs_unknown: boolean;
}

/** A statement of a query of a call. */
export interface StatementReading {
  readonly verb: string;
  readonly without_where: boolean;
}

/**
 * The objects of a call, as they are read from its arguments before a rule is asked. A member that is not all
 * there counts as unknown: a deny holds for it, an allow does not.
 */
export interface Readings {
  /** The keys and programs that a policy had read besides the usual ones; absent for none. */
  readonly keys?: KeptKeys;
  /** The folders that `$HOME`, `$TMP` and `$PROJECT` stand for. */
  readonly place: { readonly home: string; readonly tmp: string; readonly project: string | undefined };
  readonly paths: readonly PathReading[];
  readonly commands: readonly CommandReading[];
  readonly hosts: readonly string[];
  readonly statements: readonly StatementReading[];
  /** Why some of it was not read: a command, a query, the paths, or the call altogether. */
  readonly unread: {
    readonly command: string | null;
    readonly sql: string | null;
    readonly path: string | null;
    readonly host: string | null;
  };
}

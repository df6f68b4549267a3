/** The files that differ, as `+3 ~1 -2`. */
export interface Signs {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  /** There are more than were looked at. */
  readonly truncated: boolean;
}

/** A layer that holds changes of a world, which are not in the project yet. */
export interface LayerRow extends Signs {
  readonly layer: string;
  readonly folder: string;
  /** Epoch ms. */
  readonly since: number;
  /** The command in words, and the run whose world has it, or had it last. */
  readonly label: string;
  readonly run: string;
  readonly in_world: boolean;
  readonly bytes: number;
}

/** The layers that hold changes, the oldest first; the newest of them, where there are more. */
export interface Worlds {
  /** The record has a run that was in a world. */
  readonly ever: boolean;
  readonly layers: readonly LayerRow[];
  readonly more: number;
}

/** A file that differs. */
export interface LayerChange {
  /** As `sub world diff --json` writes it: two paths never read alike. */
  readonly path: string;
  readonly sign: '+' | '~' | '-';
  readonly how: string;
  readonly kind: string;
  readonly size: number | null;
  /** By a commit of all it would be taken over, asked about, or left. */
  readonly state: 'taken' | 'asks' | 'left';
  /** Why somebody is asked about it. */
  readonly reasons: readonly string[];
  /** Why it is left, by a code and in words, and what to do. */
  readonly why: string;
  readonly what: string;
  readonly help: string;
  /** That of its reasons, or what is done to it besides. */
  readonly remark: string;
  /** It is left, and overwriting the project's own takes it over. */
  readonly overwrite: boolean;
}

/** A layer, as an answer is bound to it. */
export interface World extends Omit<LayerRow, 'bytes'> {
  /** The digest of all that it shows, and of what it does not list. */
  readonly shown: string;
  /** The digest of the same, and of the project's own that overwriting would lose. */
  readonly overwrite: string;
  readonly changes: readonly LayerChange[];
  /** Changes that are not listed. None of them is asked about or left, unless all that are listed are. */
  readonly more: number;
}

/** The lines of one file; of one that would be overwritten beside the project's own. */
export interface LayerPatch {
  readonly lines: readonly string[];
  readonly more: number;
  /** They are all that differs: no file was too large, or no text. */
  readonly is_whole: boolean;
}

/** A decision on a layer that was carried out. */
export interface LayerDone {
  /** The entry that began it; null: nothing was to be done. */
  readonly entry: number | null;
  readonly done: number;
  /** The first that stay in the layer, and why. */
  readonly left: readonly { readonly path: string; readonly what: string; readonly help: string }[];
  readonly more: number;
}

import type { Column } from '../output/table.js';
import type { Tone } from '../output/style.js';

/** A text of a page. Texts are raw: whoever renders them escapes them. */
export interface Text {
  readonly text: string;
  /** Its text, escaped, for so many columns of a terminal, where it is not just cut. */
  readonly within?: (columns: number) => string;
  readonly tone?: Tone;
}

export interface PageColumn extends Column {
  /** It holds names and texts of agents, which are set as code. */
  readonly isCode?: boolean;
}

/** A table with its heading. */
export interface Section {
  readonly title: string;
  /** A sentence above the table. */
  readonly lead?: string;
  readonly columns: readonly PageColumn[];
  readonly rows: readonly (readonly Text[])[];
  /** How many rows there are that are not shown. */
  readonly more: number;
}

/** A report as it is laid out, for a terminal, as Markdown or as HTML. */
export interface Page {
  readonly title: string;
  /** Names and values about all of it. */
  readonly facts: readonly (readonly [string, Text])[];
  /** Sentences about what is missing. */
  readonly remarks: readonly string[];
  readonly sections: readonly Section[];
}

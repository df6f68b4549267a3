/** A test by its file and its titles from the outermost `describe` inwards, joined with ` > `. */
export interface CitedTest {
  readonly file: string;
  readonly name: string;
}

/** One thing that a document demands, and what shows that it holds. */
export interface Requirement {
  /** Document and section. */
  readonly source: string;
  /** What must be so, in one sentence. */
  readonly behaviour: string;
  readonly tests: readonly CitedTest[];
  /** Sections of `.ci/run` that show it, where a command does and not a test. */
  readonly commands?: readonly string[];
}

/** Requirements by their id, which never changes its meaning. */
export type Requirements = Readonly<Record<string, Requirement>>;

/** Cites tests of one file. */
export function inFile(file: string, ...names: string[]): CitedTest[] {
  return names.map((name) => ({ file, name }));
}

/** A test by its file and its titles from the outermost `describe` inwards, joined with ` > `. */
export interface CitedTest {
  readonly file: string;
  readonly name: string;
}

/** One or more tests. */
export type CitedTests = readonly [CitedTest, ...CitedTest[]];

interface Demand {
  /** Document and section. */
  readonly source: string;
  /** What must be so, in one sentence. */
  readonly behaviour: string;
}

/** It holds: the tests run the product and read what it wrote. */
export interface Shown extends Demand {
  readonly status: 'shown';
  readonly tests: CitedTests;
}

/**
 * The texts in this repository show it (imports, docs, images). The tests or the steps of `.ci/run` read
 * them.
 */
export interface ShownByTexts extends Demand {
  readonly status: 'shown by texts';
  readonly tests: readonly CitedTest[];
  /** Sections of `.ci/run`. */
  readonly steps: readonly string[];
}

/** It does not hold, or not in whole; the tests show the part that does. */
export interface NotYet extends Demand {
  readonly status: 'not yet';
  /** Tells what is missing. */
  readonly because: string;
  readonly tests: readonly CitedTest[];
}

/** It is void, or holds in another shape; the tests show that shape. */
export interface Argued extends Demand {
  readonly status: 'argued';
  readonly because: string;
  readonly tests: readonly CitedTest[];
}

/** One thing that a document demands, and what shows that it holds, or why it does not. */
export type Requirement = Shown | ShownByTexts | NotYet | Argued;

/** Requirements by their id, which never changes its meaning. */
export type Requirements = Readonly<Record<string, Requirement>>;

/** Cites tests of one file. */
export function inFile(file: string, name: string, ...names: string[]): CitedTests {
  return [{ file, name }, ...names.map((other) => ({ file, name: other }))];
}

/** Makes the requirements of one section. */
export function section(source: string) {
  return {
    shown: (behaviour: string, first: CitedTests, ...others: readonly CitedTests[]): Shown => ({
      source,
      behaviour,
      status: 'shown',
      tests: [...first, ...others.flat()],
    }),
    shownByTexts: (
      behaviour: string,
      shownBy: { readonly tests?: CitedTests; readonly steps?: readonly string[] },
    ): ShownByTexts => ({
      source,
      behaviour,
      status: 'shown by texts',
      tests: shownBy.tests ?? [],
      steps: shownBy.steps ?? [],
    }),
    notYet: (behaviour: string, because: string, ...tests: readonly CitedTests[]): NotYet => ({
      source,
      behaviour,
      status: 'not yet',
      because,
      tests: tests.flat(),
    }),
    argued: (behaviour: string, because: string, ...tests: readonly CitedTests[]): Argued => ({
      source,
      behaviour,
      status: 'argued',
      because,
      tests: tests.flat(),
    }),
  };
}

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
// The longest first: last of all, one of these would keep a whole worker waiting.
import SLOW from './tests/slow.json' with { type: 'json' };

/** One more than the cores of CI: much of what a file does is to wait for processes. */
const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A machine that is busy is slow: what is polled for comes, or it does not.
  expect: { poll: { timeout: 30_000 } },
  pool: 'forks',
  // Tests open databases by themselves, too: with the SQLite that this Node runs.
  alias: Number.parseInt(process.versions.node, 10) < 22 ? { 'better-sqlite3': 'better-sqlite3-12' } : {},
  maxWorkers: 3,
  // Node loads the packages as they were built: vitest would transform each of their files, for each worker.
  server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  globalSetup: ['tests/support/programs.ts', 'tests/support/scratch-folder.ts'],
  // A thread of the ledger is one file here, too, and writes one ledger after the other.
  execArgv: ['--import', new URL('tests/support/kept-writers.mjs', import.meta.url).href],
} as const;

/**
 * `npm test` has built the packages, so their tests take what `tsc` wrote: vite would transform a thousand
 * files. Without it (`npx vitest`) they take the sources as they stand.
 */
const asBuilt = {
  name: 'as-built',
  enforce: 'pre',
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !/^\..*(?<!\.test)\.js$/.test(source)) return undefined;
    const path = decodeURI(new URL(source, `file://${encodeURI(importer)}`).pathname);
    const built = path.replace(/(\/packages\/[^/]+)\/src\//, '$1/dist/');
    return built === path ? undefined : built;
  },
} as const;

/** What measures or bends the very process that it runs in. */
const ALONE = ['tests/fuzz/**/*.test.ts'];

const SETUP = ['tests/setup.ts'];

const LEFT_OUT = process.env['SUB_SLOW'] === 'no' ? SLOW : [];
/** The many short files of the packages fill what is left at the end. */
const ORDER = ['system', 'alone', 'packages'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification): number => {
      const at = SLOW.findIndex((path) => moduleId.endsWith(path));
      return ORDER.indexOf(project.name) * (SLOW.length + 1) + (at === -1 ? SLOW.length : at);
    };
    const inherited = super.sort.bind(this);
    return (await inherited(files)).toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    ...common,
    sequence: { sequencer: LongestFirst },
    projects: [
      // One idea a file and no state in modules: these share their process, and load it once.
      {
        plugins: process.env['SUB_BUILT'] === undefined ? [] : [asBuilt],
        test: {
          ...common,
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: LEFT_OUT,
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [...ALONE, ...LEFT_OUT],
          isolate: false,
          setupFiles: SETUP,
        },
      },
      { test: { ...common, name: 'alone', include: ALONE, exclude: LEFT_OUT, setupFiles: SETUP } },
    ],
  },
});

import { defineConfig } from 'vitest/config';

const common = { testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks', maxWorkers: 2 } as const;

/** What measures or bends the very process that it runs in. */
const ALONE = ['tests/fuzz/**/*.test.ts'];

export default defineConfig({
  test: {
    ...common,
    projects: [
      // One idea a file and no state in modules: these share their process, and load it once.
      { test: { ...common, name: 'packages', include: ['packages/*/src/**/*.test.ts'], isolate: false } },
      {
        test: { ...common, name: 'system', include: ['tests/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
      { test: { ...common, name: 'alone', include: ALONE } },
    ],
  },
});

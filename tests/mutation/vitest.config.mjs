import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { instrument } from './enumerate.mjs';
import { allMutants, ROOT } from './targets.mjs';

const RECORD = new URL('record.mjs', import.meta.url).pathname;
const mutants = allMutants();
const chosen = process.env.SUB_MUTANT;

/** The ledger's own tests, over sources in which one mutant is on (`SUB_MUTANT`), or in which every verification is kept (`SUB_CASES`). */
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const file = relative(ROOT, id.split('?')[0]);
        if (process.env.SUB_CASES !== undefined && file === 'packages/ledger/src/verify/verify.ts')
          return `${code.replace('export async function verifyLedger', 'async function plainVerifyLedger')}
import { recorded as around } from ${JSON.stringify(RECORD)};
export const verifyLedger = around(plainVerifyLedger);`;
        const own = mutants.filter((mutant) => mutant.file === file && String(mutant.id) === chosen);
        if (own.length === 0) return null;
        return `globalThis.subMutant=${chosen};${instrument(readFileSync(id.split('?')[0], 'utf8'), own)}`;
      },
    },
  ],
  test: {
    include: ['packages/ledger/src/{head,merkle,migrate,note,proof,seal,segments,store,verify}/**/*.test.ts'],
    exclude: ['packages/ledger/src/verify/attacks/**', 'packages/ledger/src/verify/live.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

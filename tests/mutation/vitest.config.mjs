import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { instrument } from './enumerate.mjs';
import { allMutants, ROOT } from './targets.mjs';

const RECORD = new URL('record.mjs', import.meta.url).pathname;
const mutants = allMutants();
const chosen = process.env.SUB_MUTANT;

/** What is kept of the calls of a file: of each of its readers that `testing/mutants.ts` names. */
const READERS =
  /export (async )?function (verifyLedger|openLogNote|readCheckpointText|readHeadsLog|readNote|readSeal|readSignatureLine|readVerifierKey|splitNotes|verifyConsistency|verifyInclusion|verifyNote)\b/g;

function aroundCalls(file, code) {
  if (!file.startsWith('packages/ledger/src/')) return null;
  const names = [];
  const plain = code.replaceAll(READERS, (_, isAsync = '', name) => {
    names.push(name);
    return `${isAsync}function plain_${name}`;
  });
  if (names.length === 0) return null;
  const around = names.map((name) =>
    name === 'verifyLedger'
      ? `export const verifyLedger = around(plain_verifyLedger);`
      : `export function ${name}(...args) { return (plain_${name}.kept ??= aroundCall('${name}', plain_${name}))(...args); }`,
  );
  return `${plain}
import { recorded as around, recordedCall as aroundCall } from ${JSON.stringify(RECORD)};
${around.join('\n')}`;
}

/** The ledger's own tests, over sources in which one mutant is on (`SUB_MUTANT`), or in which every verification is kept (`SUB_CASES`). */
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const file = relative(ROOT, id.split('?')[0]);
        if (process.env.SUB_CASES !== undefined) return aroundCalls(file, code);
        const own = mutants.filter((mutant) => mutant.file === file && String(mutant.id) === chosen);
        if (own.length === 0) return null;
        return `globalThis.subMutant=${chosen};${instrument(readFileSync(id.split('?')[0], 'utf8'), own)}`;
      },
    },
  ],
  test: {
    include: [
      'packages/ledger/src/{backup,expiry,head,merkle,migrate,note,proof,restore,seal,segments,store,verify}/**/*.test.ts',
    ],
    exclude: ['packages/ledger/src/verify/attacks/**', 'packages/ledger/src/verify/live.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

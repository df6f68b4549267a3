import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { instrument } from './instrument.mjs';
import { LEDGER, ROOT } from './targets.mjs';

const SUITE = fileURLToPath(new URL('suite.mjs', import.meta.url));
const OUT = join(LEDGER, 'dist/mutants');

/** Bundles the tests over sources in which every mutant waits behind a switch. */
export async function bundle(tests, mutants) {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const common = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
    plugins: [switches(mutants)],
  };
  const loads = tests.map((file) => `[${JSON.stringify(file)}, () => import(${JSON.stringify(file)})]`);
  await build({
    ...common,
    stdin: { contents: `export const TESTS = new Map([${loads.join()}]);`, resolveDir: ROOT },
    entryNames: 'tests',
    outdir: OUT,
    splitting: true,
    outExtension: { '.js': '.mjs' },
  });
}

function switches(mutants) {
  return {
    name: 'switches',
    setup(esbuild) {
      esbuild.onResolve({ filter: /^vitest$/ }, () => ({ path: SUITE, external: true }));
      // As in `vitest.config.ts`: 13 in an older Node ends the process.
      if (Number.parseInt(process.versions.node, 10) < 22)
        esbuild.onResolve({ filter: /^better-sqlite3$/ }, () => ({
          path: 'better-sqlite3-12',
          external: true,
        }));
      // Its readers of notes are mutated too, so that it is bundled from its sources.
      esbuild.onResolve({ filter: /^@subluminal\/core-types$/ }, () => ({
        path: join(ROOT, 'packages/core-types/src/index.ts'),
      }));
      esbuild.onLoad(
        { filter: /\/packages\/(?:core-types|ledger)\/(?:src|testing)\/.*\.ts$/ },
        ({ path }) => {
          const own = mutants.filter(({ file }) => join(ROOT, file) === path);
          const contents = instrument(readFileSync(path, 'utf8'), own).replaceAll(
            'import.meta.url',
            JSON.stringify(pathToFileURL(path).href),
          );
          return { contents, loader: 'ts' };
        },
      );
    },
  };
}

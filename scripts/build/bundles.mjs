// The shipped bundles: the command line split by verb, the shim alone, and the gateway, split by what it
// needs late, with its ledger worker.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { builtinsAsImports } from './builtins-as-imports.mjs';
import { besideIt, unusedHere } from './apart.mjs';
import { onlyVerb } from './only-verb.mjs';
import { pastIndex } from './past-index.mjs';
import { withPlainComments } from './plain-comments.mjs';

/**
 * @typedef {{ name: string, folder: string, entries: Record<string, string>, splitting: boolean, plugins:
 *   import('esbuild').Plugin[] }} Bundle
 */

/**
 * The bundles, with entries as paths to what `tsc` wrote. The ledger's worker stands beside the gateway, and
 * that of a verification beside the command line, each under its own name, because the ledger starts it by
 * `new URL('./<name>.js', import.meta.url)`; for the same reason all files of a bundle stand in one folder.
 * @param {string} root
 * @returns {Bundle[]}
 */
export function bundles(root) {
  return [
    {
      name: 'cli',
      folder: 'packages/cli/dist/bundle',
      entries: { main: 'packages/cli/dist/main.js', ...workers(root, /^verify-/) },
      splitting: true,
      plugins: [pastIndex(root)],
    },
    {
      name: 'shim',
      folder: 'packages/cli/dist/shim-bundle',
      entries: { main: 'packages/cli/dist/main.js' },
      splitting: false,
      plugins: [onlyVerb('shim/stdio'), besideIt(/\/shim\/dist\/away\/engine\.js$/, './away/engine.js')],
    },
    {
      name: 'shim alone',
      folder: 'packages/cli/dist/shim-bundle/away',
      entries: { engine: 'packages/shim/dist/away/engine.js' },
      splitting: false,
      plugins: [unusedHere(['yaml'])],
    },
    {
      name: 'gateway',
      folder: 'packages/daemon/dist/bundle',
      entries: {
        gateway: 'packages/daemon/dist/main.js',
        witness: 'packages/witness/dist/main.js',
        ...workers(root, /^worker-/),
        'ui-reader': 'packages/ui/dist/reader/ui-reader.js',
      },
      splitting: true,
      plugins: [pastIndex(root)],
    },
  ];
}

/** @param {string} root @param {RegExp} names @returns {Record<string, string>} */
function workers(root, names) {
  const folder = 'packages/ledger/dist';
  if (!existsSync(join(root, folder))) return {};
  const files = readdirSync(join(root, folder), { recursive: true }).map(String);
  const found = files.filter((file) => /(?:^|[/\\-])worker(?:-main)?\.js$/.test(file));
  return Object.fromEntries(
    found
      .map(
        (file) =>
          /** @type {const} */ ([file.replace(/^.*[/\\]/, '').slice(0, -'.js'.length), `${folder}/${file}`]),
      )
      .filter(([name]) => names.test(name)),
  );
}

/**
 * Bundles one program, writes esbuild's account of it to `meta.json` beside it, and removes what an earlier
 * build left. Returns the written files as paths from the root, or null when its entry does not exist.
 * @param {string} root
 * @param {Bundle} bundle
 * @returns {Promise<string[] | null>}
 */
export async function writeBundle(root, bundle) {
  if (!Object.values(bundle.entries).every((entry) => existsSync(join(root, entry)))) return null;
  const result = await build({
    absWorkingDir: root,
    entryPoints: bundle.entries,
    outdir: bundle.folder,
    bundle: true,
    splitting: bundle.splitting,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['better-sqlite3', 'better-sqlite3-12'],
    // Its other form loads its files by a `require` that no bundler can follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    plugins: [builtinsAsImports, ...bundle.plugins],
    chunkNames: '[name]-[hash]',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const written = Object.keys(result.metafile.outputs);
  for (const path of written) if (path.endsWith('.js')) withPlainComments(join(root, path));
  mkdirSync(join(root, bundle.folder), { recursive: true });
  const meta = `${bundle.folder}/meta.json`;
  writeFileSync(join(root, meta), JSON.stringify(result.metafile));
  removeOthers(root, bundle.folder, new Set([...written, meta]));
  return [...written, meta];
}

/** @param {string} root @param {string} folder @param {Set<string>} keep */
function removeOthers(root, folder, keep) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (entry.isFile() && !keep.has(path)) rmSync(join(root, path));
  }
}

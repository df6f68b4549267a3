// npm run build: install what is missing, compile the packages, bundle the programs. `--force` starts from
// nothing.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './build/command.mjs';
import { ensureInstalled } from './build/install.mjs';
import { copyPolicies } from './build/policies.mjs';
import { copyPrograms } from './build/programs.mjs';
import { removeStale } from './build/stale.mjs';
import { fingerprint, isCurrent, recordBuild } from './build/stamp.mjs';

const PACKAGES = [
  'core-types',
  'readings',
  'policy',
  'ipc',
  'ledger',
  'records',
  'agent',
  'mcp',
  'hooks',
  'plane',
  'egress',
  'gateway',
  'anomaly',
  'approvals',
  'net',
  'projects',
  'anchors',
  'notify',
  'tools',
  'away',
  'services',
  'proxy',
  'remote',
  'hooks-door',
  'plane-wing',
  'ui',
  'worlds-net',
  'witness',
  'daemon',
  'worlds',
  'layers',
  'shim',
  'cli',
];

/**
 * Builds the tree unless nothing changed since the last build.
 * @param {string} root
 * @param {{ force: boolean, unchecked?: boolean }} options `unchecked`: without looking at types, which takes
 *   half of the time, and which the next build does then
 * @returns {Promise<boolean>} false when something failed and has said so
 */
export async function buildTree(root, options) {
  const started = performance.now();
  await ensureInstalled(root);
  const print = fingerprint(root);
  const asUnchecked = `unchecked ${print}`;
  const isThere = isCurrent(root, print) || (options.unchecked === true && isCurrent(root, asUnchecked));
  if (!options.force && isThere) {
    process.stderr.write('build: up to date\n');
    return true;
  }
  removeStale(root, PACKAGES);
  const projects = PACKAGES.map((name) => join('packages', name));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const flags = [...(options.force ? ['--force'] : []), ...(options.unchecked === true ? ['--noCheck'] : [])];
  if ((await run(process.execPath, [compiler, '-b', ...projects, ...flags], { cwd: root })) !== 0) {
    process.stderr.write('build: the compiler found errors (above)\n');
    return false;
  }
  // Imported late: esbuild is one of the things that the install may have had to bring.
  const { bundles, writeBundle } = await import('./build/bundles.mjs');
  const { writePage } = await import('./build/page.mjs');
  const outputs = copyPolicies(root);
  for (const bundle of bundles(root)) {
    const written = await writeBundle(root, bundle);
    if (written === null) {
      process.stderr.write(
        `build: ${bundle.name} has no entry (${Object.values(bundle.entries).join(', ')})\n`,
      );
      return false;
    }
    outputs.push(...written);
  }
  // After the bundles, which remove what others left in their folders.
  const page = await writePage(root, { unchecked: options.unchecked === true });
  if (page === null) return false;
  outputs.push(...page, ...copyPrograms(root));
  recordBuild(root, options.unchecked === true ? asUnchecked : print, outputs);
  process.stderr.write(`build: done in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const built = await buildTree(root, { force: process.argv.includes('--force') });
  process.exitCode = built ? 0 : 1;
}

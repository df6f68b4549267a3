// npm run quickstart: a real gateway, a real MCP server behind the shim, a real client, and the proof of the
// record. Everything happens in a temporary folder that is gone afterwards, and nothing is left running.
// `--sub PROGRAM` shows another `sub` than the one that is built here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTree } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: given } = parseArgs({ options: { sub: { type: 'string' } } });
const sub = given.sub ?? join(root, 'packages/cli/bin/sub.mjs');
const driver = join(root, 'examples/quickstart/driver.mjs');
const server = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const GATEWAY_START_MS = 30_000;

// The commands below get Ctrl-C too and end; then this program stops the gateway and removes its folder.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => undefined);

const isBuilt = given.sub !== undefined || (await buildTree(root, { force: false, unchecked: true }));
process.exitCode = isBuilt ? await quickstart() : 1;

/** @returns {Promise<number>} */
async function quickstart() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sub-quickstart-')));
  const home = join(scratch, 'home');
  try {
    prepare(scratch, home);
    return await show(scratch, home);
  } finally {
    await runSub(['down', '--home', home], { quiet: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * A home with a policy, a memory outside of it, and a folder for the server.
 * @param {string} scratch
 * @param {string} home
 */
function prepare(scratch, home) {
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(scratch, 'files'));
  writeFileSync(join(scratch, 'files/note.txt'), 'what the agent may read\n');
  const heads = join(scratch, 'memory/heads.log');
  writeFileSync(join(home, 'config.toml'), `heads_log = ${JSON.stringify(heads)}\n`, { mode: 0o600 });
  const policy = readFileSync(join(root, 'examples/quickstart/policy.yaml'));
  writeFileSync(join(home, 'policy.yaml'), policy, { mode: 0o600 });
}

/** @param {string} scratch @param {string} home @returns {Promise<number>} */
async function show(scratch, home) {
  title('1. an agent runs, with its file server behind the gateway; beside it, the live tail');
  say('sub run --agent quickstart -- node examples/quickstart/driver.mjs', '(starts the gateway)');
  const agent = start([
    'run',
    '--home',
    home,
    '--agent',
    'quickstart',
    '--',
    process.execPath,
    driver,
    home,
    sub,
    server,
    join(scratch, 'files'),
  ]);
  const ended = once(agent, 'close');
  await gatewayIsUp(home, ended);
  const tail = startTail(home);
  const tailEnded = once(tail, 'close');
  const [code] = await ended;
  await sleep(500);
  tail.kill();
  await tailEnded;
  expect(code, 0, 'the run');

  title('2. what was decided, and why');
  say('sub query');
  expect(await runSub(['query', '--home', home]), 0, 'the query');

  title('3. the record is whole');
  say('sub audit verify');
  expect(await runSub(['audit', 'verify', '--home', home]), 0, 'the verification');

  title('4. one byte of a copy is changed: the refused write, made to look different');
  await runSub(['down', '--home', home], { quiet: true });
  const copy = join(scratch, 'changed.db');
  changeOneByte(join(home, 'ledger.db'), copy);
  say('sub audit verify changed.db');
  expect(await runSub(['audit', 'verify', copy, '--home', home]), 4, 'the verification of the changed copy');

  title('done: exit code 0 for the ledger, 4 for the changed copy; everything is stopped and removed');
  return 0;
}

/**
 * `"code":"BLOCK"` becomes `"code":"BLOCk"` in the entry of the refused call, and in what SQLite's unused
 * space may still hold of it.
 * @param {string} ledger @param {string} copy
 */
function changeOneByte(ledger, copy) {
  const bytes = readFileSync(ledger);
  const text = '{"code":"BLOCK"';
  if (!bytes.includes(text)) throw new Error('the ledger holds no refused call');
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    bytes.write('k', at + text.length - 2);
  }
  writeFileSync(copy, bytes);
}

/** @param {string} home @param {Promise<unknown>} ended */
async function gatewayIsUp(home, ended) {
  const state = { over: false };
  void ended.then(() => (state.over = true));
  const deadline = performance.now() + GATEWAY_START_MS;
  while (!state.over && !existsSync(join(home, 'run/gateway.sock'))) {
    if (performance.now() > deadline) throw new Error('the gateway did not start in time');
    await sleep(20);
  }
}

/** The live tail, each line marked as its own. @param {string} home */
function startTail(home) {
  const tail = spawn(process.execPath, [sub, 'tail', '--home', home, '--lines', '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: tail.stdout }).on('line', (line) => process.stdout.write(`    tail:  ${line}\n`));
  return tail;
}

/** @param {readonly string[]} args */
function start(args) {
  return spawn(process.execPath, [sub, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/**
 * @param {readonly string[]} args @param {{ quiet?: boolean }} [options] @returns {Promise<number | null>}
 */
async function runSub(args, options = {}) {
  const stdio = options.quiet === true ? 'ignore' : 'inherit';
  const child = spawn(process.execPath, [sub, ...args], { stdio: ['ignore', stdio, stdio] });
  const [code] = await once(child, 'close');
  return code;
}

/** @param {number | null} code @param {number} wanted @param {string} what */
function expect(code, wanted, what) {
  if (code !== wanted) throw new Error(`${what} ended with exit code ${code} instead of ${wanted}`);
}

/** @param {string} text */
function title(text) {
  process.stdout.write(`\n== ${text}\n`);
}

/** @param {string} command @param {string} [remark] */
function say(command, remark = '') {
  process.stdout.write(`$ ${command}${remark === '' ? '' : `   ${remark}`}\n`);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, processesWith } from '../harness/processes.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { GatewayHome, isRunning } from '../support/gateway-home.js';
import { shimArgv, startShim, type StartOptions } from './start.js';

/**
 * Nothing may be left six seconds after, whatever happens: five until SIGKILL, and what it takes to notice.
 * The rest is for a machine that is busy with other tests.
 */
const LIMIT_MS = 8000;

let home: GatewayHome;
beforeAll(async () => {
  home = await new GatewayHome().start();
});
afterAll(() => home.remove());

let marks = 0;

/** A session whose processes can all be found by a mark in their environment. */
async function marked(options: Omit<StartOptions, 'home'> = {}) {
  marks += 1;
  // No mark is the beginning of another one.
  const mark = `MARK_OF_THIS_TEST=${process.pid}-${marks}.`;
  const [name = '', value = ''] = mark.split('=');
  const session = await startShim({
    home: home.paths.home,
    ...options,
    env: { ...options.env, [name]: value },
  });
  return { session, left: () => processesWith(mark) };
}

async function expectNothingLeft(left: () => unknown[]): Promise<void> {
  await eventually('every process of the session ends', () => left().length === 0, LIMIT_MS);
}

/** The exit code, which our side may learn a little after the process is gone. */
async function exitCode({ child }: RawSession): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

const kinds = [
  ['a well-behaved server', {}],
  ['a server that ignores the end of its input and every signal', { env: { SERVER_STUBBORN: '1' } }],
] as const;

// Most of them wait for what is deaf to be killed.
describe.concurrent.each(kinds)('with %s', (_name, options) => {
  test('the end of input ends everything', async () => {
    const { session, left } = await marked(options);
    expect(left().length).toBeGreaterThanOrEqual(2);
    session.child.stdin.end();
    await expectNothingLeft(left);
    expect(await exitCode(session)).toBe(0);
  });

  test('SIGTERM ends everything', async () => {
    const { session, left } = await marked(options);
    session.child.kill('SIGTERM');
    await expectNothingLeft(left);
    expect(await exitCode(session)).toBe(143);
  });

  test('SIGINT ends everything', async () => {
    const { session, left } = await marked(options);
    session.child.kill('SIGINT');
    await expectNothingLeft(left);
    expect(await exitCode(session)).toBe(130);
  });

  test('SIGKILL of the shim ends everything, by the gateway', async () => {
    const { session, left } = await marked(options);
    session.child.kill('SIGKILL');
    await expectNothingLeft(left);
  });
});

test.concurrent('what a server started, in a session of its own and deaf to signals, ends with it', async () => {
  for (const end of [
    (pid: number) => process.kill(pid, 'SIGTERM'),
    (pid: number) => process.kill(pid, 'SIGKILL'),
  ]) {
    const { session, left } = await marked();
    const { result } = await session.request('tools/call', { name: 'child', arguments: {} });
    const [{ text: child }] = (result as { content: [{ text: string }] }).content;
    expect(isRunning(Number(child))).toBe(true);
    end(session.child.pid ?? 0);
    await expectNothingLeft(left);
  }
});

test('a client that is killed takes shim and server with it, also when others hold its pipes', async () => {
  const argv = shimArgv({ home: home.paths.home });
  const mark = `MARK_OF_THIS_TEST=${process.pid}-client.`;
  // The client's own child inherits the pipe to the shim and keeps it open.
  const client = `
    const { spawn } = require('child_process');
    const shim = spawn(${JSON.stringify(argv[0])}, ${JSON.stringify(argv.slice(1))}, { stdio: ['pipe', 'pipe', 'inherit'] });
    shim.stdout.once('data', () => process.stdout.write('ready\\n'));
    shim.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n');
  `;
  const [name = '', value = ''] = mark.split('=');
  const child = spawn(process.execPath, ['-e', client], {
    env: { ...process.env, [name]: value },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await expectNothingLeft(() => processesWith(mark));
});

describe('a server that ends', () => {
  test('by itself ends the session with its code, after its last words', async () => {
    const { session, left } = await marked();
    const answer = await session.request('tools/call', { name: 'exit', arguments: { code: 7 } });
    expect(answer).toMatchObject({ result: { content: [{ text: 'last words' }] } });
    await expectNothingLeft(left);
    expect(await exitCode(session)).toBe(7);
  });

  test('right behind its answer, leaves the end of the call as the answer told it', async () => {
    const { session, left } = await marked();
    await session.request('tools/call', { name: 'exit', arguments: { code: 0, note: 'the last call' } });
    await expectNothingLeft(left);
    const ledger = new Database(home.paths.ledgerDb, { readonly: true });
    const calls = ledger
      .prepare<[], { status: string; args: string; result: string }>(
        `SELECT c.status, p.args_preview AS args, p.result_preview AS result
        FROM tool_calls c JOIN previews p USING(call_id) WHERE p.args_preview LIKE '%the last call%'`,
      )
      .all();
    ledger.close();
    expect(calls).toMatchObject([{ status: 'OK', result: expect.stringContaining('last words') }]);
  });

  test('by a signal ends the session with 128 and the number of the signal', async () => {
    const { session, left } = await marked();
    session.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"die","arguments":{}}}\n');
    await expectNothingLeft(left);
    expect(await exitCode(session)).toBe(137);
  });

  const ANSWER = '{"jsonrpc":"2.0","id":"raw-1","result":{}}';
  // Closed before the answer: what is asked later finds nobody.
  test.each([
    ['its output', `echo '${ANSWER}'; exec 1>&-`],
    ['its input', `exec 0<&-; echo '${ANSWER}'`],
  ])('to talk, by closing %s, ends the session', async (_name, script) => {
    const command = ['bash', '-c', `read -r line; ${script}; sleep 1000`];
    const { session, left } = await marked({ command });
    const asked = session.request('tools/call', { name: 'echo', arguments: {} });
    await expect(asked).rejects.toThrow(/ended with 1/);
    await expectNothingLeft(left);
  });

  test('at once, because it does not exist, is told on stderr', async () => {
    const argv = shimArgv({ home: home.paths.home, command: ['/nonexistent/server'] });
    await expect(openRawSession(argv)).rejects.toThrow(/ended with 5/);
  });
});

test('what was asked before the end of input is still decided and answered', async () => {
  const [command = '', ...args] = shimArgv({ home: home.paths.home });
  const shim = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  shim.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const lines = [1, 2, 3].map(
    (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{}}}\n`,
  );
  shim.stdin.end(lines.join(''));
  const [code] = (await once(shim, 'close')) as [number];
  expect(code).toBe(0);
  expect(out.trim().split('\n')).toHaveLength(3);
});

test('a client that has closed its side and reads slowly gets all of the last answer', async () => {
  const [command = '', ...args] = shimArgv({ home: home.paths.home });
  const shim = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let last: number | undefined;
  let bytes = 0;
  shim.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    last = chunk.at(-1);
    shim.stdout.pause();
    setTimeout(() => shim.stdout.resume(), 10);
  });
  shim.stdin.end(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":8000000}}}\n',
  );
  await once(shim, 'close');
  expect(bytes).toBeGreaterThan(8_000_000);
  expect(last).toBe(10);
});

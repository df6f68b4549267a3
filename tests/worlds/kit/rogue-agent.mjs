// A program in an agent's world that speaks to the gateway's door by hand. It is started as
// `rogue-agent.mjs HOME OTHER_RUN PORT`, where PORT is that of the gateway's door for HTTP, and prints the
// outcome of each attempt as JSON.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { ACTIONS, canonicalize, sha256Hex } from '@subluminal/core-types';
import { byWorldDoor, connectGateway, homePaths, processIdentity, readWorldTicket } from '@subluminal/ipc';

const [home = '', otherRun = '', port = ''] = process.argv.slice(2);
const payloads = new URL('../../../vectors/contracts/payloads.json', import.meta.url);
/** @type {{ valid: { kind: string, value: unknown }[] }} */
const { valid } = JSON.parse(readFileSync(payloads, 'utf8'));
// While it waits for an answer nothing else keeps it.
setInterval(() => undefined, 1000);
const { socket: socketPath } = byWorldDoor(homePaths(home));
const ticket = readWorldTicket();
if (ticket === undefined) throw new Error('there is no ticket');
const { credential } = ticket;
/** @param {object} more */
const reach = (more = {}) =>
  connectGateway({ socketPath, credential: { ...credential, ...more }, clock: Date.now });
/** @param {() => Promise<unknown>} work */
const codeOf = async (work) => {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
};

/** @type {Record<string, unknown>} */
const said = {};
for (const kind of ['operator', 'enrol']) said[kind] = await codeOf(() => reach({ kind, id: kind }));
said['another run'] = await codeOf(() => reach({ id: otherRun }));
said['its own run, as another epoch'] = await codeOf(() => reach({ epoch: 2 }));

/** @type {Record<string, string>} */
const actions = {};
for (const action of Object.keys(ACTIONS)) {
  const client = await reach();
  const answer = await client.request(action, valid.find(({ kind }) => kind === action)?.value ?? {});
  actions[action] = answer.status === 'success' ? 'success' : (answer.error?.code ?? '');
  client.close();
}
said['actions'] = actions;

// A server that has a secret outside: announced as its shim would, and asked for as its shim would.
const server = {
  shim_id: 'shim',
  server_name: 'mail',
  argv_hash: sha256Hex(canonicalize(['/bin/true'])),
  token: 'a-token-of-a-rogue-agent',
};
const asking = await reach();
const begun = await asking.request('upstream.begin', {
  ...server,
  proc_id: 'p',
  shim: processIdentity(process.pid),
});
const released = await asking.request('secrets.release', { ...server, pass: [] });
said['a secret'] = [
  begun.status,
  released.error?.message,
  JSON.stringify([begun, released]).includes('canary'),
];
asking.close();

// The hooks' door: who is not a client, what is no request, and more than anybody needs.
const hook = `http://127.0.0.1:${port}/hook/claude`;
const event = JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash' });
/**
 * @param {Record<string, string>} headers
 * @returns {Promise<number | undefined>}
 */
const status = (headers, body = event) =>
  new Promise((resolve) => {
    const asked = request(hook, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', () => resolve(undefined));
    asked.end(body);
  });
said['hooks'] = [
  await status({ authorization: 'Bearer x' }),
  await status({}),
  await status({ authorization: 'Bearer x', origin: 'http://a.test' }),
  await status({ authorization: 'Bearer x' }, '{'),
];
/**
 * The status of the answer to these words, and whether it denies; 0 where the door hangs up without one.
 * @param {string} text
 * @returns {Promise<string>}
 */
const answerTo = (text) =>
  new Promise((resolve) => {
    const one = connect(Number(port), '127.0.0.1', () => one.write(text));
    let heard = '';
    const over = () => {
      one.destroy();
      resolve(`${/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0}${/"deny"/.test(heard) ? ' denied' : ''}`);
    };
    one.setTimeout(20_000, over);
    one.on('error', over).on('close', over);
    one.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (/\r\n\r\n./s.test(heard)) over();
    });
  });
const lines = (/** @type {readonly string[]} */ ...more) =>
  ['POST /hook/claude HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Authorization: Bearer x', ...more, '', ''].join(
    '\r\n',
  );
said['bodies'] = await Promise.all([
  answerTo(`${lines('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  answerTo(`${lines('Transfer-Encoding: chunked')}ffffffffff\r\n`),
  answerTo(lines('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0')),
  answerTo(lines(...Array.from({ length: 5000 }, (_, at) => `A${at}: ${at}`))),
  answerTo(`${lines('Content-Length: 5000000')}${' '.repeat(5_000_000)}`),
  answerTo(`${lines('Content-Length: 400000')}${'['.repeat(400_000)}`),
  answerTo(`${lines('Content-Length: 5')}{`),
]);
for (let at = 0; at < 200; at += 1) {
  const one = connect(Number(port), '127.0.0.1').resume();
  one.on('error', () => undefined);
  one.write(at % 2 === 0 ? 'POST /hook/claude HTTP/1.1\r\nHost: ' : Buffer.alloc(1000, at));
}
await Promise.all(Array.from({ length: 100 }, () => status({ authorization: 'Bearer x' })));

// Garbage, half of a frame, connections that say nothing, and far too many of them.
const open = Array.from({ length: 1000 }, (_, at) => {
  const one = connect(socketPath).resume();
  one.on('error', () => undefined);
  if (at % 3 === 0) one.write(Buffer.alloc(65_536, at));
  else if (at % 3 === 1) one.write(Buffer.from([0, 0, 16, 0, 123]));
  return one;
});
await new Promise((resolve) => setTimeout(resolve, 500));
for (const one of open) one.destroy();
for (let at = 0; at < 2000; at += 1) {
  const one = connect(socketPath).resume();
  one.on('error', () => undefined);
  one.write('GET / HTTP/1.1\r\n\r\n');
  if (at % 50 === 0) await once(one, 'close').catch(() => undefined);
}
// Frames that are too long, and answers that nobody reads.
said['a frame of 4 GiB'] = await new Promise((resolve) => {
  const one = connect(socketPath, () => one.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1])));
  one.on('error', () => undefined).once('close', () => resolve('hung up'));
  one.resume();
});
const deaf = await Promise.all(Array.from({ length: 16 }, () => reach().catch(() => undefined)));
for (const client of deaf)
  for (let at = 0; at < 500; at += 1) client?.request('run.read', {}).catch(() => undefined);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
for (const client of deaf) client?.close();
/** @type {unknown[]} */
const kept = [];
for (let at = 0; at < 200; at += 1) kept.push(await reach().catch(() => undefined));
said['connections with its key'] = kept.filter((one) => one !== undefined).length;
process.stdout.write(`${JSON.stringify(said)}\n`);
process.exit(0);

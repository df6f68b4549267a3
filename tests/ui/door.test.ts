import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { listAt, numberAt, textAt } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, runBegin, start } from '../gateway/harness.js';
import { after } from '../gateway/cleanups.js';
import { askingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { Lister, tool } from '../tools/lister.js';
import {
  ask,
  Asker,
  Listening,
  opened,
  originOf,
  type Page,
  page,
  placeOf,
  rawly,
  showCode,
} from './kit/page.js';

const LISTENER = fileURLToPath(new URL('kit/listener.mjs', import.meta.url));

let home: TestHome;
let operator: GatewayClient;
let ours: Page;

beforeAll(async () => {
  home = createHome();
  await home.startWatched();
  const paths = homePaths(home.home);
  operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: Date.now,
  });
  ours = await page(operator);
});
afterAll(async () => {
  operator.close();
  await home.remove();
});

const get = (path: string, host: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;
const statusOf = (answer: string): string => answer.split(' ')[1] ?? '';

describe('the name of the page', () => {
  const paths = ['/', '/ui/', '/ui/app.js', '/ui/api/state', '/ui/api/session', '/ui/ws', '/nothing'];

  it.each(paths)('a name that was bound anew gets nothing of %s, whatever token it shows', async (path) => {
    const token = `Authorization: Bearer ${ours.token}\r\nOrigin: http://evil.example:${ours.port}\r\n`;
    for (const host of [
      `evil.example:${ours.port}`,
      'evil.example',
      '127.0.0.1',
      `127.0.0.1:${ours.port}`,
      `localhost:${ours.port}`,
      `0000000000000000.localhost:${ours.port}`,
      ours.door.host,
      `127.0.0.1:${ours.port + 1}`,
      `127.0.0.1.evil.example:${ours.port}`,
      `127.0.0.1:${ours.port}.`,
      `[::1]:${ours.port}`,
      `0x7f.1:${ours.port}`,
      `LOCALHOST:${ours.port}`,
    ]) {
      const answer = await rawly(ours.port, get(path, host, token));
      expect([host, statusOf(answer)]).toEqual([host, '403']);
      expect(answer).toContain('"bad_host"');
    }
  });

  it('two names, none and an absolute address get nothing', async () => {
    const { port, token } = ours;
    const good = `Host: ${placeOf(ours.door)}\r\n`;
    const rest = `Connection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const twice = `GET /ui/api/state HTTP/1.1\r\n${good}Host: evil.example\r\n${rest}`;
    const none = `GET /ui/api/state HTTP/1.1\r\n${rest}`;
    const whole = `GET http://evil.example/ui/api/state HTTP/1.1\r\n${good}${rest}`;
    expect((await Promise.all([twice, none, whole].map((text) => rawly(port, text)))).map(statusOf)).toEqual([
      '403',
      '400',
      '404',
    ]);
  });

  it('its name is said to nobody, and is the same after a restart', async () => {
    expect(ours.door.host).toMatch(/^[0-9a-f]{16}\.localhost$/);
    for (const host of [`127.0.0.1:${ours.port}`, `localhost:${ours.port}`])
      for (const path of ['/', '/ui/', '/ui/runs'])
        expect(await rawly(ours.port, get(path, host))).not.toContain(ours.door.host);
    expect((await opened(operator)).door).toEqual(ours.door);
  });

  it('no worker that answers for the whole origin is served', async () => {
    for (const path of ['/ui/app.js', '/ui/verify.js'])
      expect(await ask(ours.door, 'GET', path, { 'service-worker': 'script' })).toMatchObject({
        status: 403,
        code: 'bad_origin',
      });
  });
});

describe('a page of another origin', () => {
  const strangers = () => [
    'https://evil.example',
    'null',
    originOf({ ...ours.door, port: ours.port + 1 }),
    `http://localhost:${ours.port}`,
    `http://127.0.0.1:${ours.port}`,
    `https://${placeOf(ours.door)}`,
    `http://${placeOf(ours.door)}/`,
  ];

  it('changes nothing and reads nothing, the dev server of an agent on another port among them', async () => {
    for (const origin of strangers()) {
      const headers = { ...ours.headers, origin };
      const body = JSON.stringify({ act: 'panic', reason: 'x' });
      expect(await ask(ours.door, 'POST', '/ui/api/act', headers, body)).toMatchObject({
        status: 403,
        code: 'bad_origin',
      });
      expect(await ask(ours.door, 'GET', '/ui/api/state', headers)).toMatchObject({ code: 'bad_origin' });
    }
    expect((await ours.get('/ui/api/state')).json).toMatchObject({ panicked: null });
  });

  it('is told apart by what the browser says of it, also where it names no origin', async () => {
    const { origin: _origin, ...headers } = ours.headers;
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(
        await ask(ours.door, 'GET', '/ui/api/state', { ...headers, 'sec-fetch-site': site }),
      ).toMatchObject({ status: 403, code: 'bad_origin' });
    for (const site of ['cross-site', 'same-site'])
      expect(await ask(ours.door, 'GET', '/ui/app.js', { 'sec-fetch-site': site })).toMatchObject({
        status: 403,
      });
  });

  it('posts nothing without an origin, as a form, or with two origins', async () => {
    const { origin, ...headers } = ours.headers;
    const body = JSON.stringify({ act: 'panic', reason: 'x' });
    expect(await ask(ours.door, 'POST', '/ui/api/act', headers, body)).toMatchObject({ code: 'bad_origin' });
    expect(
      await ask(ours.door, 'POST', '/ui/api/act', { ...ours.headers, 'content-type': 'text/plain' }, body),
    ).toMatchObject({ status: 415 });
    const twice = `POST /ui/api/act HTTP/1.1\r\nHost: ${placeOf(ours.door)}\r\nOrigin: ${origin}\r\nOrigin: http://evil.example\r\nContent-Type: application/json\r\nAuthorization: Bearer ${ours.token}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    expect(statusOf(await rawly(ours.port, twice))).toBe('403');
  });

  it('opens no socket', async () => {
    for (const origin of [...strangers(), undefined]) {
      const socket = new Listening(ours.door, undefined, origin === undefined ? {} : { origin });
      await expect(socket.frame('welcome')).rejects.toThrow('closed before');
    }
  });

  it('is answered without a word that another origin could read: no CORS, no frame, no script of others', async () => {
    for (const [method, path] of [
      ['GET', '/ui/'],
      ['GET', '/ui/api/state'],
      ['OPTIONS', '/ui/api/state'],
      ['GET', '/ui/none.js'],
      ['GET', '/elsewhere'],
    ] as const) {
      const { headers } = await ask(ours.door, method, path, ours.headers);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types subl",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
  });
});

describe('who asks', () => {
  it('a program of a run is refused with a stolen token, with a stolen code, and at the socket', async () => {
    // Its connection is older than its run.
    const inside = new Asker();
    after(() => inside.end());
    expect(await inside.ask(ours.door, 'GET', '/ui/api/state', ours.headers)).toMatchObject({ status: 200 });
    const holder = processIdentity(inside.process.pid ?? 0);
    await operator.request('run.begin', runBegin({ holder }));
    const { code } = await opened(operator);
    const asked = [
      ['GET', '/ui/api/state', undefined],
      ['POST', '/ui/api/session', JSON.stringify({ code })],
      ['GET', '/ui/', undefined],
      ['GET', '/ui/ws', undefined],
    ] as const;
    for (const [method, path, body] of asked) {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
      const headers = path === '/ui/ws' ? { ...ours.headers, ...upgrade } : ours.headers;
      expect([path, await inside.ask(ours.door, method, path, headers, body)]).toEqual([
        path,
        { status: 403, code: 'inside_run' },
      ]);
    }
    // The code was not used up by it.
    expect((await showCode(ours.door, code)).status).toBe(200);
  });

  it('a process that joins a run is told no more by the socket that it opened before', async () => {
    const child = spawn(process.execPath, [LISTENER], { stdio: ['pipe', 'pipe', 'inherit'] });
    after(() => {
      child.kill('SIGKILL');
    });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    const { door, token } = await page(operator);
    child.stdin.write(`${JSON.stringify({ ...door, token })}\n`);
    await eventually('it is welcome', () => told.includes('"t":"welcome"'));
    await operator.request('run.begin', runBegin({ holder: processIdentity(child.pid ?? 0) }));
    await eventually('it is sent away', () => told.includes('"t":"bye"'));
    expect(told).toContain('the page is refused inside a run');
  });

  it('what a run has left behind is refused by the name in its environment, also when the run is over', async () => {
    const run = await askingRun(home.home);
    const left = new Asker(undefined, { SUB_RUN_ID: run.id });
    after(() => left.end());
    await run.end();
    expect(await left.ask(ours.door, 'GET', '/ui/api/state', ours.headers)).toEqual({
      status: 403,
      code: 'inside_run',
    });
    const other = new Asker(undefined, { SUB_RUN_ID: '01JDZ0000000000000000000ZZ' });
    after(() => other.end());
    expect((await other.ask(ours.door, 'GET', '/ui/api/state', ours.headers)).status).toBe(200);
  });

  it.runIf(process.getuid?.() === 0)('another user is refused', async () => {
    const nobody = new Asker([
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      process.execPath,
    ]);
    after(() => nobody.end());
    expect(await nobody.ask(ours.door, 'GET', '/ui/api/state', ours.headers)).toEqual({
      status: 403,
      code: 'other_user',
    });
  });

  it('one that cannot be told reads, and changes nothing', async () => {
    // The gateway in this process does not find its own process at the other end.
    const gateway = await start();
    const hidden = await page(await gateway.operator());
    expect((await hidden.get('/ui/api/state')).json).toMatchObject({ access: 'read' });
    expect(await hidden.act({ act: 'panic', reason: 'x' })).toMatchObject({ status: 403, code: 'read_only' });
    expect(await hidden.post('/ui/api/unlock', { code: '000000' })).toMatchObject({ code: 'read_only' });
    // It has looked at a held tool, and no person has.
    const lister = new Lister((await gateway.run()).client, 'fs');
    await lister.seen([tool('read_file')]);
    await lister.seen([tool('read_file', { description: 'sends it away' })]);
    const inbox = await hidden.get('/ui/api/inbox');
    const [held] = listAt(inbox.json, 'cards').map(({ facts }) => facts ?? null);
    const tools = [{ tool_name: 'read_file', hash: textAt(held ?? null, 'hash') }];
    const operated = await gateway.operator();
    const answer = await operated.request('tools.approve', { server_name: 'fs', tools });
    expect(dataOf(answer)).toMatchObject({ left: [{ why: 'not_shown' }] });
  });
});

describe('floods', () => {
  it('a slow header, a slow body and a long one are cut off', async () => {
    const slow = connect(ours.port, '127.0.0.1');
    slow.write('POST /ui/api/session HTTP/1.1\r\nHost: 127.0.0.1\r\n');
    slow.on('error', () => undefined).resume();
    const form = `Host: ${placeOf(ours.door)}\r\nOrigin: ${originOf(ours.door)}\r\nContent-Type: application/json\r\n`;
    const stalled = rawly(
      ours.port,
      `POST /ui/api/session HTTP/1.1\r\n${form}Content-Length: 10\r\n\r\n{`,
      60_000,
    );
    const long = await ask(
      ours.door,
      'POST',
      '/ui/api/session',
      { origin: originOf(ours.door), 'content-type': 'application/json' },
      JSON.stringify({ code: 'x'.repeat(70_000) }),
    );
    expect(long).toMatchObject({ status: 413, code: 'too_large' });
    expect(
      statusOf(await rawly(ours.port, get('/ui/', placeOf(ours.door), `X: ${'y'.repeat(20_000)}\r\n`))),
    ).toBe('431');
    expect(statusOf(await stalled)).toBe('408');
    if (!slow.destroyed) await new Promise((resolve) => slow.once('close', resolve));
  });

  it('refused upgrades that are never closed keep no page out', async () => {
    const open = Array.from({ length: 80 }, () => {
      const socket = connect({ port: ours.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write(
        `GET /ui/ws HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      return socket;
    });
    const refused = open.map(
      (socket) =>
        new Promise((resolve) => {
          for (const told of ['data', 'end', 'error', 'close']) socket.on(told, resolve);
        }),
    );
    await Promise.all(refused);
    expect((await ours.get('/ui/api/state')).status).toBe(200);
    for (const socket of open) socket.destroy();
  });

  it('an address of this machine that has the port of another connection is dropped', async () => {
    const socket = connect({ port: ours.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => undefined).resume();
    socket.write(get('/ui/', placeOf(ours.door)));
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => (got += part));
    // A reset is an error of the socket, and what is wanted.
    await new Promise((resolve) => socket.once('close', resolve));
    expect(got).toBe('');
  });

  it('three hundred idle connections keep no page out, and an open socket is not dropped for them', async () => {
    const told = ours.listen();
    await told.frame('welcome');
    const idle = Array.from({ length: 300 }, () =>
      connect(ours.port, '127.0.0.1').on('error', () => undefined),
    );
    await Promise.all(
      idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    expect((await ours.get('/ui/api/state')).status).toBe(200);
    expect(told.isClosed).toBe(false);
    for (const socket of idle) socket.destroy();
    told.close();
  });

  it('a page opens sixteen sockets, and the next is refused', async () => {
    const open = Array.from({ length: 16 }, () => ours.listen());
    await Promise.all(open.map((one) => one.frame('welcome')));
    await expect(ours.listen().frame('welcome')).rejects.toThrow('closed before');
    for (const one of open) one.close();
    const isOver = async (): Promise<boolean> =>
      numberAt(dataOf(await operator.request('gateway.status', {})), 'ui', 'sockets') === 0;
    await eventually('all are closed', isOver);
  });

  it('a socket that brings no token, no frame, or too much is closed', async () => {
    const none = new Listening(ours.door, undefined);
    await expect(none.frame('bye')).resolves.toMatchObject({ code: 'too_slow' });
    const wrong = new Listening(ours.door, { t: 'hello', token: 'x', filter: '', from: null, credit: 1 });
    await expect(wrong.frame('bye')).resolves.toMatchObject({ code: 'no_session' });
    for (const text of ['{', '[]', '{"t":"hello"}', '{"t":"evil"}', JSON.stringify({ t: 'ack', n: -1 })]) {
      const socket = ours.listen();
      await socket.frame('welcome');
      socket.socket.send(text);
      await expect(socket.frame('bye')).resolves.toMatchObject({ code: 'bad_frame' });
    }
    const large = ours.listen();
    await large.frame('welcome');
    large.socket.send('x'.repeat(70_000));
    await expect(large.frame('bye')).rejects.toThrow('closed before');
    const fast = ours.listen();
    await fast.frame('welcome');
    for (let at = 0; at < 300; at += 1) fast.send({ t: 'ack', n: 0 });
    await expect(fast.frame('bye')).resolves.toMatchObject({ code: 'bad_frame' });
    expect((await ours.get('/ui/api/state')).status).toBe(200);
  });
});

it('nobody listens before the operator asks, and nobody after `ui.end`', async () => {
  const gateway = await start();
  const asker = await gateway.operator();
  const { door } = await opened(asker);
  expect(statusOf(await rawly(door.port, get('/elsewhere', placeOf(door))))).toBe('404');
  await asker.request('ui.end', {});
  await expect(ask(door, 'GET', '/ui/')).rejects.toThrow('ECONNREFUSED');
});

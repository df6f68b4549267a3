import { connect } from 'node:net';
import { httpRunToken, RUN_TOKEN_PREFIX } from '@subluminal/core-types';
import { beforeAll, describe, expect, it } from 'vitest';
import { callsWith, HONEST_ARGUMENTS, READ_AS_ANOTHER } from '../attack/argument-names.js';
import { POLICY, REFUSED, SMUGGLED } from '../attack/smuggled.js';
import { after } from '../gateway/harness.js';
import { ask, httpWorld, resultOf, sayJson, scripted, stream, type Answer, type HttpWorld } from './world.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };

/** Writes bytes to the door and reads until it closes the connection. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(text));
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(Buffer.concat(parts).toString()));
    after(() => void socket.destroy());
  });
}

function head(world: HttpWorld, upstream: string, more: readonly string[] = []): string {
  const lines = [
    'POST /mcp/srv HTTP/1.1',
    `Host: 127.0.0.1:${world.port}`,
    `Subluminal-Token: ${world.token}`,
    `Subluminal-Upstream: ${upstream}`,
    'Content-Type: application/json',
    'Connection: close',
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

it('a field behind two thousand others is seen as the first ones are', async () => {
  const world = await httpWorld();
  const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
  const many = Array.from({ length: 2100 }, () => 'a:');
  const text = head(world, server.url, [...many, 'Content-Length: 2', 'Subluminal-Token: other']);
  expect(await raw(world.port, `${text}{}`)).toMatch(/^HTTP\/1\.1 400 [^]*stands twice/);
  expect(server.got).toEqual([]);
});

it.each([
  ['GET', 'mcp-method', 'tools/call'],
  ['GET', 'mcp-name', 'large'],
  ['DELETE', 'mcp-param-path', '/etc/passwd'],
])('a %s with the header `%s` goes to no server: no body says the same', async (method, name, value) => {
  const world = await httpWorld();
  const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
  const headers = { ...world.headers(server.url), [name]: value };
  const answer = await ask(world.url('srv'), { method, headers });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('has no body')]);
  expect(server.got).toEqual([]);
});

describe('who may come in', () => {
  it('answers nobody who came by another name, from a page of another origin, or without the token', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, { tools: [] })));
    const asked = (headers: Record<string, string>, token?: string): Promise<Answer> =>
      world.post(server.url, LIST, { headers, ...(token === undefined ? {} : { token }) });
    const other = await world.gateway.run();
    await world.gateway
      .operator()
      .then((operator) => operator.request('run.end', { run_id: other.id, status: 'SUCCEEDED' }));
    const statuses = {
      rebound: (await asked({ host: `evil.example:${world.port}` })).status,
      'another port': (await asked({ host: '127.0.0.1:1' })).status,
      'a page': (await asked({ origin: 'https://evil.example' })).status,
      'a page on another port': (await asked({ origin: 'http://127.0.0.1:1' })).status,
      'a file': (await asked({ origin: 'null' })).status,
      'no token': (await asked({}, '')).status,
      'a token of nothing': (await asked({}, 'x')).status,
      'a made up token': (await asked({}, `${RUN_TOKEN_PREFIX}${world.run.id}_${'A'.repeat(43)}`)).status,
      'a made up enrol token': (await asked({}, `sube_${'A'.repeat(43)}`)).status,
      'a token of a run that is not': (await asked({}, world.token.replace(world.run.id, '0'.repeat(26))))
        .status,
      'a token of an ended run': (await asked({}, httpRunToken(other.credential))).status,
      'its own page': (await asked({ origin: `http://127.0.0.1:${world.port}` })).status,
      localhost: (await asked({ host: `localhost:${world.port}` })).status,
    };
    expect(statuses).toEqual({
      rebound: 403,
      'another port': 403,
      'a page': 403,
      'a page on another port': 403,
      'a file': 403,
      'no token': 403,
      'a token of nothing': 403,
      'a made up token': 403,
      'a made up enrol token': 403,
      'a token of a run that is not': 403,
      'a token of an ended run': 403,
      'its own page': 200,
      localhost: 200,
    });
    expect(server.got).toHaveLength(2);
    await raw(world.port, 'SSH-2.0-OpenSSH_9.6\r\n\r\n');
    // Once a second, however many they are.
    const turnedAway = (): Record<string, number> => {
      const sum: Record<string, number> = {};
      for (const { data } of world.gateway.rows('peers_refused')) {
        for (const [reason, count] of Object.entries(data['counts'] as Record<string, number>))
          sum[reason] = (sum[reason] ?? 0) + count;
      }
      return sum;
    };
    await expect.poll(turnedAway, { timeout: 5000 }).toEqual({ http_origin: 5, http_token: 5, http_form: 1 });
  });

  it('answers no token of a run that has ended, and cuts off what it has open', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => {
      if (got.method === 'POST') sayJson(response, resultOf(got, {}));
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    });
    const { first, whole } = stream(world.url('srv'), world.headers(server.url));
    await first;
    await world.run.client.request('run.end', { status: 'SUCCEEDED' });
    await expect(whole).rejects.toThrow('aborted');
    const late = await world.post(server.url, CALL);
    expect([late.status, late.json()['error']]).toEqual([
      403,
      { code: -32603, message: 'subluminal: the run has ended' },
    ]);
    expect(server.got).toHaveLength(1);
  });
});

describe('where it may lead', () => {
  it('is no open proxy: other servers, schemes and addresses, and URLs with passwords', async () => {
    const world = await httpWorld();
    const reached = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const operator = await world.gateway.operator();
    const listed = await operator.request('allow.list', {});
    const [{ id }] = (listed.data as { entries: [{ id: string }] }).entries;
    await operator.request('allow.remove', { id });
    const messages: Record<string, string> = {};
    for (const url of [
      reached.url,
      'http://10.0.0.1/mcp',
      'https://example.com/mcp',
      'file:///etc/passwd',
      'unix:///run/docker.sock',
      'http://user:secret@127.0.0.1/mcp',
      'http://127.0.0.1:0/mcp',
      `http://127.0.0.1:${world.port}\\@example.com/`,
      'not a url',
    ]) {
      const answer = await world.post(url, LIST);
      const error = answer.json()['error'] as { message: string };
      messages[url.replace(/:\d{4,5}/, ':PORT')] =
        `${answer.status} ${error.message.replace(/:\d{4,5}/g, ':PORT')}`;
    }
    const notAllowed = 'subluminal: `ORIGIN` is not on the allowlist';
    const what = 'subluminal: the URL in `Subluminal-Upstream`';
    expect(messages).toEqual({
      'http://127.0.0.1:PORT/mcp': `200 ${notAllowed.replace('ORIGIN', 'http://127.0.0.1:PORT')}`,
      'http://10.0.0.1/mcp': `200 ${notAllowed.replace('ORIGIN', 'http://10.0.0.1')}`,
      'https://example.com/mcp': `200 ${notAllowed.replace('ORIGIN', 'https://example.com')}`,
      'file:///etc/passwd': `400 ${what} is not an absolute http or https URL`,
      'unix:///run/docker.sock': `400 ${what} is not an absolute http or https URL`,
      'http://user:secret@127.0.0.1/mcp': `400 ${what} carries a user name or a password`,
      'http://127.0.0.1:0/mcp': `400 ${what} has port 0`,
      'http://127.0.0.1:PORT\\@example.com/': `400 ${what} has a space, a control character or a backslash`,
      'not a url': `400 ${what} has a space, a control character or a backslash`,
    });
    expect(reached.got).toEqual([]);
    const rejected = world.gateway
      .rows('action_rejected')
      .map(({ data }) => [data['action'], data['stage'], data['destination']]);
    expect(rejected).toContainEqual(['http.reach', 'allowlist', 'https://example.com']);
  });

  it('dials no private address of a name that was allowed without one, whatever the name says later', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const world = await httpWorld({
      allow: false,
      resolver: { resolve: () => Promise.resolve(answers.shift() ?? ['127.0.0.1']) },
    });
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const operator = await world.gateway.operator();
    await operator.request('allow.add', { host: 'rebound.example' });
    const { port } = new URL(server.url);
    answers.shift();
    const answer = await world.post(`http://rebound.example:${port}/mcp`, LIST);
    expect(answer.json()['error']).toMatchObject({ data: { code: 'address_refused' } });
    expect(server.got).toEqual([]);
  });

  it('follows no redirect to another server, and one on the same server with the same body', async () => {
    const world = await httpWorld();
    const elsewhere = await scripted((got, response) => sayJson(response, resultOf(got, { tools: [] })));
    const server = await scripted((got, response) => {
      if (got.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
      else if (got.url === '/mcp/') sayJson(response, resultOf(got, { tools: [] }));
      else response.writeHead(307, { location: elsewhere.url }).end();
    });
    expect((await world.post(server.url, LIST)).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [] },
    });
    const away = await world.post(server.url.replace('/mcp', '/away'), LIST, {
      headers: { authorization: 'Bearer secret' },
    });
    expect(away.json()['error']).toMatchObject({ data: { code: 'not_allowed' } });
    expect(elsewhere.got).toEqual([]);
    expect(server.got.map(({ url, body }) => [url, body])).toEqual([
      ['/mcp', JSON.stringify(LIST)],
      ['/mcp/', JSON.stringify(LIST)],
      ['/away', JSON.stringify(LIST)],
    ]);
  });

  it('tells the server what the client says to it, and nothing that is ours; and records no header', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    await world.post(server.url, CALL, {
      headers: { authorization: 'Bearer top-secret-value', 'x-api-key': 'key-of-the-client', cookie: 'a=b' },
    });
    const [got] = server.got;
    expect(got?.headers).toMatchObject({
      authorization: 'Bearer top-secret-value',
      'x-api-key': 'key-of-the-client',
      cookie: 'a=b',
      'accept-encoding': 'identity',
      host: new URL(server.url).host,
    });
    expect(Object.keys(got?.headers ?? {}).filter((name) => name.startsWith('subluminal'))).toEqual([]);
    const recorded = JSON.stringify(world.gateway.rows());
    for (const secret of ['top-secret-value', 'key-of-the-client', world.token])
      expect(recorded).not.toContain(secret);
  });
});

describe('sessions', () => {
  let forgotten = false;
  const withSession = (id: string) =>
    scripted((got, response) => {
      if (forgotten) response.writeHead(404).end('no such session');
      else if (got.method === 'DELETE') response.writeHead(200).end();
      else sayJson(response, resultOf(got, { protocolVersion: '2025-11-25' }), { 'mcp-session-id': id });
    });
  const INIT = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };

  it('belong to the run, the token and the URL that opened them', async () => {
    const world = await httpWorld();
    const server = await withSession('sess-1');
    const opened = await world.post(server.url, INIT);
    expect(opened.headers['mcp-session-id']).toBe('sess-1');
    const other = await world.gateway.run();
    const session = { 'mcp-session-id': 'sess-1' };
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(200);
    const before = server.got.length;
    const refused = [
      await world.post(server.url, LIST, { headers: session, token: httpRunToken(other.credential) }),
      await world.post(server.url, LIST, { headers: session, name: 'other' }),
      await world.post(`${server.url}/other`, LIST, { headers: session }),
      await world.post(server.url, LIST, { headers: { 'mcp-session-id': 'planted' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(refused[3]?.json()['error']).toEqual({
      code: -32001,
      message: 'subluminal: there is no such session',
    });
    expect(server.got).toHaveLength(before);
    await expect
      .poll(() =>
        world.gateway.rows('message_dropped').filter(({ data }) => data['reason'] === 'unknown_session'),
      )
      .toHaveLength(4);
  });

  it('are not reached by what opens one: an id that somebody found is not passed on', async () => {
    const world = await httpWorld();
    const server = await withSession('sess-3');
    const opened = await world.post(server.url, INIT, { headers: { 'mcp-session-id': 'of-somebody-else' } });
    expect(opened.headers['mcp-session-id']).toBe('sess-3');
    expect(server.got.map(({ headers }) => headers['mcp-session-id'])).toEqual([undefined]);
  });

  it('end with DELETE, with the gateway, and with their run; a client then begins anew', async () => {
    const world = await httpWorld();
    const server = await withSession('sess-2');
    await world.post(server.url, INIT);
    const session = { 'mcp-session-id': 'sess-2' };
    const gone = await ask(world.url('srv'), {
      method: 'DELETE',
      headers: { ...world.headers(server.url), ...session },
    });
    expect(gone.status).toBe(200);
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(404);
    await world.post(server.url, INIT);
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(200);
    forgotten = true;
    const open = server.got.length;
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(404);
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(404);
    // The server was asked once: what it does not know any more is over.
    expect(server.got).toHaveLength(open + 1);
    forgotten = false;
    await world.post(server.url, INIT);
    await world.gateway.restart();
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(404);
    expect((await world.post(server.url, INIT)).status).toBe(200);
    expect((await world.post(server.url, LIST, { headers: session })).status).toBe(200);
  });
});

describe('what header and body say', () => {
  const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const modern = (params: Record<string, unknown>, method = 'tools/call') => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta: META },
  });
  const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const body = modern({ name: 'echo', arguments: { path: '/safe', deep: { n: 42, on: true } } });

  it('is the same, or the request goes no further', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const status = async (headers: Record<string, string>): Promise<unknown> => {
      const answer = await world.post(server.url, body, { headers: { ...right, ...headers } });
      const { error, id } = answer.json() as { error?: { code: number }; id: unknown };
      return error === undefined ? answer.status : [answer.status, error.code, id];
    };
    const mismatch = [400, -32_020, 7];
    expect(await status({})).toBe(200);
    expect(await status({ 'mcp-name': base64('echo') })).toBe(200);
    expect(await status({ 'mcp-param-path': '/safe' })).toBe(200);
    expect(await status({ 'mcp-param-path': base64('/safe') })).toBe(200);
    expect(await status({ 'mcp-param-n': '42.0', 'mcp-param-on': 'true' })).toBe(200);
    const sent = server.got.length;
    expect(await status({ 'mcp-protocol-version': '2025-11-25' })).toEqual(mismatch);
    expect(await status({ 'mcp-method': 'tools/list' })).toEqual(mismatch);
    expect(await status({ 'mcp-name': 'danger' })).toEqual(mismatch);
    expect(await status({ 'mcp-name': base64('danger') })).toEqual(mismatch);
    expect(await status({ 'mcp-name': '=?base64?%%?=' })).toEqual(mismatch);
    expect(await status({ 'mcp-param-path': '/etc/passwd' })).toEqual(mismatch);
    expect(await status({ 'mcp-param-n': '43' })).toEqual(mismatch);
    expect(await status({ 'mcp-param-%70ath': '/safe' })).toEqual(mismatch);
    expect(server.got).toHaveLength(sent);
    await expect
      .poll(() => world.gateway.rows('message_dropped').map(({ data }) => data['reason']))
      .toEqual(Array.from({ length: 8 }, () => 'header_mismatch'));
  });

  it('is compared without holding the others up, however many headers and arguments there are', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const many = modern({
      name: 'echo',
      arguments: { all: Array.from({ length: 60_000 }, (_, n) => `v${n}`) },
    });
    const asked = (count: number): Promise<Answer> => {
      const params = Array.from({ length: count }, (_, n) => [`mcp-param-p${n}`, `v${9999 - n}`] as const);
      return world.post(server.url, many, { headers: { ...right, ...Object.fromEntries(params) } });
    };
    expect((await asked(64)).status).toBe(200);
    for (const count of [65, 300]) {
      const refused = await asked(count);
      expect(refused.status).toBe(400);
      expect(refused.json()).toMatchObject({
        id: 7,
        error: {
          code: -32_020,
          message: 'subluminal: more than 64 `Mcp-Param` headers stand with the request',
        },
      });
    }
    expect(server.got).toHaveLength(1);
    await expect
      .poll(() => world.gateway.rows('message_dropped').map(({ data }) => data['reason']))
      .toEqual(['header_mismatch', 'header_mismatch']);
  });

  it('is compared argument by argument once the server has declared which header is which', async () => {
    const world = await httpWorld();
    const tools = [
      {
        name: 'echo',
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string', 'x-mcp-header': 'Path' }, other: { type: 'string' } },
        },
      },
    ];
    const server = await scripted((got, response) =>
      sayJson(response, resultOf(got, got.body.includes('tools/list') ? { tools } : {})),
    );
    const call = modern({ name: 'echo', arguments: { path: '/safe', other: '/etc/passwd' } });
    const asked = (): Promise<Answer> =>
      world.post(server.url, call, { headers: { ...right, 'mcp-param-path': '/etc/passwd' } });
    await world.post(server.url, LIST);
    expect((await asked()).status).toBe(400);
    expect(
      (await world.post(server.url, call, { headers: { ...right, 'mcp-param-path': '/safe' } })).status,
    ).toBe(200);
  });

  it('stands once: a second header of a name that counts is refused', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    for (const [name, values] of [
      ['mcp-method', ['tools/call', 'tools/list']],
      ['mcp-session-id', ['a', 'b']],
      ['subluminal-upstream', [server.url, 'http://127.0.0.1:1/']],
      ['authorization', ['a', 'b']],
      ['content-type', ['application/json', 'text/plain']],
    ] as const) {
      const text = head(world, server.url, [
        ...values.map((value) => `${name}: ${value}`),
        `Content-Length: ${JSON.stringify(LIST).length}`,
      ]);
      expect((await raw(world.port, text + JSON.stringify(LIST))).slice(9, 12)).toBe('400');
    }
    expect(server.got).toEqual([]);
  });

  it('reaches the server: no `Connection` takes away what was judged, and no name stands with what names nothing', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const status = async (connection: string): Promise<string> => {
      const sent = JSON.stringify(CALL);
      const lines = [`Content-Length: ${sent.length}`, 'Mcp-Name: echo', `Connection: ${connection}`];
      const text = head(world, server.url, lines).replace('Connection: close\r\n', '');
      return (await raw(world.port, text + sent)).slice(9, 12);
    };
    for (const name of ['Mcp-Name', 'content-type', 'MCP-Session-Id', 'Authorization'])
      expect([name, await status(`close, ${name}`)]).toEqual([name, '400']);
    const headers = { 'mcp-name': 'echo' };
    const listed = { ...LIST, params: { name: 'echo' } };
    expect((await world.post(server.url, listed, { headers })).status).toBe(400);
    expect(server.got).toEqual([]);
    expect(await status('close, X-Trace')).toBe('200');
    expect(server.got[0]?.headers['mcp-name']).toBe('echo');
  });

  it('stands under one spelling: what a server could take for such a header is refused, and no other name', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, { tools: [] })));
    for (const name of [
      'Mcp_Method',
      'mcp-session_id',
      'Content_Encoding',
      'Subluminal_Token',
      'MCP_PARAM_a',
    ])
      expect((await world.post(server.url, LIST, { headers: { [name]: 'x' } })).status).toBe(400);
    expect(server.got).toEqual([]);
    expect((await world.post(server.url, LIST, { headers: { SOME_API_KEY: 'x' } })).status).toBe(200);
    expect(server.got[0]?.headers['some_api_key']).toBe('x');
  });
});

describe('what no honest client sends', () => {
  it('is refused by the parser: two lengths, a length and chunks, broken chunks, header lines that go on', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const body = JSON.stringify(LIST);
    const smuggled = `0\r\n\r\nPOST /mcp/srv HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (const [lines, rest] of [
      [['Content-Length: 10', `Content-Length: ${body.length}`], body],
      [[`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'], smuggled],
      [['Transfer-Encoding: chunked, identity'], smuggled],
      [['Transfer-Encoding : chunked'], smuggled],
      [['Transfer-Encoding: chunked'], 'zz\r\n'],
      [[`Content-Length: +${body.length}`], body],
      [['X-Folded: a', ' b', `Content-Length: ${body.length}`], body],
    ] as const) {
      const answer = await raw(world.port, head(world, server.url, lines) + rest);
      expect([lines, answer.slice(9, 12)]).toEqual([lines, '400']);
    }
    expect(
      await raw(
        world.port,
        `GET / HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
      ),
    ).toBe('');
    expect(await raw(world.port, `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n`)).toBe(
      '',
    );
    expect(server.got).toEqual([]);
  });

  it('costs no more than a header of 32 KiB, ten seconds, and its connection', async () => {
    const world = await httpWorld({ http: { headersMs: 300, stallMs: 300 } });
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const huge = await raw(world.port, head(world, server.url, [`X-Huge: ${'h'.repeat(40_000)}`]));
    expect(huge.slice(9, 12)).toBe('431');
    expect((await raw(world.port, 'POST /mcp/srv HTTP/1.1\r\nHost:')).slice(9, 12)).toBe('408');
    expect(
      (await raw(world.port, `${head(world, server.url, ['Content-Length: 100'])}{"a"`)).slice(9, 12),
    ).toBe('400');
    expect(server.got).toEqual([]);
  });

  it('is no message in a body of another type, coded, or with a query', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    expect((await world.post(server.url, LIST, { headers: { 'content-type': 'text/plain' } })).status).toBe(
      415,
    );
    expect((await world.post(server.url, LIST, { headers: { 'content-encoding': 'gzip' } })).status).toBe(
      415,
    );
    expect((await world.post(server.url, '', {})).status).toBe(400);
    const put = await ask(world.url('srv'), { method: 'PUT', headers: world.headers(server.url) });
    expect([put.status, put.headers['allow']]).toEqual([405, 'GET, POST, DELETE']);
    const query = new URL(`${world.url('srv').href}?a=b`);
    expect((await ask(query, { method: 'POST', headers: world.headers(server.url) })).status).toBe(404);
    expect(server.got).toEqual([]);
  });

  it('is read as the same text by everyone: UTF-8, whatever a header says', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, { tools: [] })));
    const status = async (type: string): Promise<number> =>
      (await world.post(server.url, LIST, { headers: { 'content-type': type } })).status;
    for (const type of [
      'application/json; charset=utf-7',
      'application/json;charset=UTF-16LE',
      'application/json; charset="utf-16"',
      'application/json; charset=utf-8; charset=utf-7',
      'application/json; x=";"; charset=utf-7',
      'application/json; CHARSET=utf-32',
      "application/json; charset*=utf-8''utf-7",
      'application/json, application/json; charset=utf-7',
    ])
      expect([type, await status(type)]).toEqual([type, 415]);
    expect(server.got).toEqual([]);
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/json;charset="UTF-8"',
    ])
      expect([type, await status(type)]).toEqual([type, 200]);
  });

  // Before the loop is watched: to make the message of 64 MiB alone takes 400 ms.
  let messages: readonly { readonly name: string; readonly body: Buffer }[] = [];
  beforeAll(() => {
    messages = SMUGGLED.map(({ name, bytes }) => ({ name, body: bytes() }));
  });

  it('reaches no server as a call that the policy refuses, whatever a lenient reader makes of it', async () => {
    const world = await httpWorld({ policy: POLICY });
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    for (const { name, body } of messages) {
      await ask(world.url('srv'), {
        method: 'POST',
        headers: { ...world.headers(server.url), 'content-type': 'application/json' },
        body,
      });
      const danger = server.got.filter((got) => isRefused(got.body));
      expect([name, danger]).toEqual([name, []]);
      server.got.length = 0;
    }
  });
});

describe('arguments that some servers read as others', () => {
  it('reach no server, also beside the name that a rule knows, and each is recorded', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const post = (body: string): Promise<Answer> =>
      ask(world.url('srv'), {
        method: 'POST',
        headers: { ...world.headers(server.url), 'content-type': 'application/json' },
        body: Buffer.from(body),
      });
    const found: unknown[] = [];
    for (const [what, name] of READ_AS_ANOTHER)
      for (const body of callsWith(name)) {
        const { error } = (await post(body)).json() as { error?: { code: number } };
        found.push([what, error?.code, server.got.length]);
      }
    expect(found).toEqual(READ_AS_ANOTHER.flatMap(([what]) => [1, 2, 3].map(() => [what, -32_600, 0])));
    await expect.poll(() => world.gateway.rows('message_dropped').length).toBe(found.length);
    const honest = { ...CALL, params: { name: 'echo', arguments: HONEST_ARGUMENTS } };
    expect((await post(JSON.stringify(honest))).status).toBe(200);
    expect(server.got.map(({ body }) => body)).toEqual([JSON.stringify(honest)]);
  });
});

/**
 * What a lenient server does with a body: the call that it takes it for, as the policy of these attacks looks
 * at it.
 */
function isRefused(body: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return /danger/.test(body);
  }
  return (Array.isArray(value) ? value : [value]).some((one: unknown) => {
    const { method, params } = (one ?? {}) as {
      method?: string;
      params?: { name?: string; arguments?: object };
    };
    if (method !== 'tools/call') return false;
    const { path } = (params?.arguments ?? {}) as { path?: string };
    return REFUSED.test(`${params?.name ?? ''} ${path ?? ''}`);
  });
}

describe('a server that streams without end', () => {
  const STREAMS = 12;

  /** A server that answers each request with that event again and again, until nobody reads it. */
  const floods = (event: string): ReturnType<typeof scripted> => {
    const block = Buffer.from(event.repeat(Math.ceil(65_536 / event.length)));
    return scripted((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pour = (): void => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
  };

  it('of what is no message loses its streams, and each of them says so in the record', async () => {
    const world = await httpWorld();
    const server = await floods('data: {\n\n');
    const streams = Array.from({ length: STREAMS }, () =>
      stream(world.url('srv'), world.headers(server.url), CALL),
    );
    for (const { whole } of streams) await expect(whole).rejects.toThrow(/aborted|hang up/);
    await expect
      .poll(() => world.gateway.rows('tool_call_end').map(({ data }) => data['error']))
      .toEqual(Array.from({ length: STREAMS }, () => expect.objectContaining({ class: 'transport' })));
    expect((await world.run.client.request('run.read', {})).status).toBe('success');
  });

  it.each([
    ['comments', ':\n'],
    ['pieces of a message that is too large to be held', `data:${'0,'.repeat(4)}\n`],
    ['ids', 'id: 7\n\n'],
    ['notifications', `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n`],
  ])('of %s goes on beside everybody else', async (_, event) => {
    const world = await httpWorld();
    const server = await floods(event);
    const streams = Array.from({ length: STREAMS }, () =>
      stream(world.url('srv'), world.headers(server.url), CALL),
    );
    for (let n = 0; n < 20; n += 1) {
      expect((await world.run.client.request('run.read', {})).status).toBe('success');
    }
    for (const { leave } of streams) leave();
    for (const { whole } of streams) await expect(whole).rejects.toThrow(/aborted|hang up/);
  });
});

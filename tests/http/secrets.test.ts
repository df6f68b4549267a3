import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolCall } from '../gateway/harness.js';
import {
  type Answer,
  type Got,
  httpWorld,
  type HttpWorld,
  resultOf,
  sayJson,
  scripted,
  stream,
} from './world.js';

const SALT = 'A'.repeat(22);
/** Of no shape that anything could recognise: it is found by what it is. */
const VALUE = 'abend/wird "es" wieder <ueber> wald & feld';
const OTHER = 'the-one-that-came-after-it';
const MARK = '[REDACTED:Authorization]';
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look', arguments: {} } };

interface Place {
  readonly world: HttpWorld;
  readonly bind: (url: string, more?: Readonly<Record<string, unknown>>) => void;
  readonly unbind: () => void;
  readonly put: (value: string, name?: string) => Promise<void>;
  readonly ask: (url: string, more?: { name?: string; headers?: Record<string, string> }) => Promise<Answer>;
  readonly injected: () => readonly unknown[];
}

async function place(
  config = '[log]\nlevel = "debug"\n',
  options: Parameters<typeof httpWorld>[0] = {},
): Promise<Place> {
  const world = await httpWorld({ config, ...options });
  const operator = await world.gateway.operator();
  const { config: path } = world.gateway.paths;
  const put = async (value: string, name = 'token'): Promise<void> => {
    const payload = { name, value, salt: SALT, replace: true };
    expect((await operator.request('secrets.add', payload)).status).toBe('success');
  };
  await put(VALUE);
  return {
    world,
    put,
    bind: (url, more = {}) => {
      const binding = {
        server_name: 'srv',
        inject_as: 'Authorization',
        secret_ref: 'token',
        source: 'store',
        inject: 'header',
        prefix: 'Bearer ',
        url,
        ...more,
      };
      const lines = Object.entries(binding).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
      writeFileSync(path, `${readFileSync(path, 'utf8')}[[secret_bindings]]\n${lines.join('')}`);
    },
    unbind: () => writeFileSync(path, config),
    ask: (url, more = {}) => world.post(url, CALL, more),
    injected: () => world.gateway.rows('secret_injection').map(({ data }) => data['secret']),
  };
}

function filesWithValue({ gateway }: HttpWorld): readonly string[] {
  return readdirSync(gateway.paths.home, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes('wieder <ueber>'))
    .map(({ name }) => name);
}

function codeOf(answer: Answer): unknown {
  return (answer.json()['error'] as { data?: { code?: string } } | undefined)?.data?.code;
}

const plain = (got: Got, response: ServerResponse): void => sayJson(response, resultOf(got, { content: [] }));

describe('a secret that is bound to a remote server', () => {
  it('stands in the header of requests to its URL, in place of the client’s own, and is recorded once', async () => {
    const { world, bind, ask, injected } = await place();
    const server = await scripted(plain);
    bind(`${server.url}?key=of-the-url`);
    const url = `${server.url}?key=of-the-url`;
    const headers = { authorization: 'Bearer the-client-s-own', 'x-other': 'kept' };
    for (let n = 0; n < 3; n += 1) expect((await ask(url, { headers })).status).toBe(200);
    await world.post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers });
    expect(server.got.map(({ headers: got }) => [got.authorization, got['x-other']])).toEqual(
      Array.from({ length: 4 }, () => [`Bearer ${VALUE}`, 'kept']),
    );
    expect(injected()).toEqual([
      {
        server_name: 'srv',
        inject_as: 'Authorization',
        secret_ref: 'token',
        source: 'store',
        inject: 'header',
        url: server.url,
        success: true,
      },
    ]);
    const [first] = world.gateway.rows('secret_injection');
    const [pending] = world.gateway.rows('action_pending').filter(({ tool }) => tool === 'http.reach');
    expect([first?.runId, first?.seq]).toEqual([world.run.id, (pending?.seq ?? 0) - 1]);
    const operator = await world.gateway.operator();
    expect((await operator.request('secrets.list', {})).data).toMatchObject({
      secrets: [{ name: 'token', uses: 1 }],
    });
  });

  it('stands in no request under its name to another URL, which is refused, nor to its URL under another name', async () => {
    const { world, bind, ask } = await place();
    const server = await scripted(plain);
    const { origin } = new URL(server.url);
    bind(server.url);
    for (const url of [
      `${origin}/other`,
      `${server.url}/`,
      `${server.url}?x=1`,
      origin.replace('127.0.0.1', '127.0.0.2'),
    ])
      expect(codeOf(await ask(url))).toBe('secret_refused');
    expect(server.got).toEqual([]);
    expect(
      world.gateway
        .rows('action_rejected')
        .map(({ data }) => [data['action'], (data['error'] as { code?: string })['code']]),
    ).toContainEqual(['http.reach', 'secret_refused']);
    const headers = { authorization: 'Bearer the-client-s-own' };
    expect((await ask(server.url, { name: 'someone', headers })).status).toBe(200);
    expect(server.got.map(({ headers: got }) => got.authorization)).toEqual(['Bearer the-client-s-own']);
    expect((await ask(server.url.replace('/mcp', '/x/../mcp'))).status).toBe(200);
    expect(server.got.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}`);
  });

  it('goes no further where the server redirects, whether to itself or to another', async () => {
    const { bind, ask } = await place();
    const other = await scripted(plain);
    const server = await scripted((got, response) => {
      if (got.url === '/mcp') response.writeHead(307, { location: '/elsewhere' }).end();
      else if (got.url === '/away') response.writeHead(307, { location: other.url }).end();
      else plain(got, response);
    });
    bind(server.url);
    const { origin } = new URL(server.url);
    bind(`${origin}/away`, { server_name: 'away' });
    expect((await ask(server.url, { headers: { authorization: 'the-client-s-own' } })).status).toBe(200);
    expect(server.got.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/mcp', `Bearer ${VALUE}`],
      ['/elsewhere', undefined],
    ]);
    expect(codeOf(await ask(`${origin}/away`, { name: 'away' }))).toBe('not_allowed');
    expect(other.got).toEqual([]);
  });

  it('is taken out of what the server repeats: results, errors, events, statuses and headers', async () => {
    const { world, bind, ask } = await place();
    const server = await scripted((got, response) => {
      const { authorization = '' } = got.headers;
      const text = JSON.stringify({ authorization });
      if (got.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`id: ${authorization}\ndata: ${JSON.stringify(noticeOf(authorization))}\n\n`);
      } else if (got.headers['x-how'] === 'error') {
        const error = { code: -32000, message: authorization, data: { text } };
        sayJson(response, { jsonrpc: '2.0', id: 1, error }, { 'www-authenticate': `Bearer ${VALUE}` });
      } else if (got.headers['x-how'] === 'status')
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${VALUE}"` }).end(authorization);
      else if (got.headers['x-how'] === 'events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const [head, tail] = [
          JSON.stringify(noticeOf(text)),
          JSON.stringify(resultOf(got, { content: [said(text)] })),
        ];
        const cut = head.indexOf('wird') + 2;
        response.write(`event: ${VALUE}\ndata: ${head.slice(0, cut)}`);
        setImmediate(() => response.end(`${head.slice(cut)}\r\n\r\n: ${VALUE}\n\ndata: ${tail}\n\n`));
      } else
        sayJson(
          response,
          resultOf(got, { content: [said(authorization), said(text), said('x'.repeat(20_000) + VALUE)] }),
        );
    });
    bind(server.url);
    for (const how of ['result', 'error', 'status', 'events']) {
      const { text, headers } = await ask(server.url, { headers: { 'x-how': how } });
      const all = text + JSON.stringify(headers);
      expect(all, how).toContain(MARK);
      expect(all, how).not.toContain('wieder');
    }
    const listening = stream(world.url('srv'), world.headers(server.url));
    expect(await listening.whole).toBe(
      `id: Bearer ${MARK}\ndata: ${JSON.stringify(noticeOf(`Bearer ${MARK}`))}\n\n`,
    );
  });

  it('stands in nothing that the gateway wrote, also where the client may see it and says it back', async () => {
    const { world, bind, ask } = await place();
    const server = await scripted((got, response) => {
      const { authorization = '' } = got.headers;
      const { method, id } = JSON.parse(got.body) as { method: string; id: number };
      if (method === 'tools/list')
        sayJson(response, { jsonrpc: '2.0', id, result: { tools: [tool(authorization)] } });
      else sayJson(response, { jsonrpc: '2.0', id, error: { code: -1, message: `no: ${authorization}` } });
    });
    bind(server.url, { redact: false });
    expect((await ask(server.url)).text).toContain('wieder');
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await world.post(server.url, list)).text).toContain('wieder');
    const back = { name: 'look', arguments: { text: VALUE, [VALUE]: 1 } };
    await world.post(server.url, { ...CALL, params: back });
    await world.gateway.restart();
    await world.post(server.url, { ...CALL, params: back });
    await world.post(server.url, { ...CALL, method: `custom/${VALUE}` });
    expect(filesWithValue(world)).toEqual([]);
    expect(JSON.stringify(world.gateway.rows())).toContain(MARK);
  });

  it('stands in nothing that is recorded of the run after a restart, before its next request', async () => {
    const { world, bind, ask } = await place();
    const server = await scripted(plain);
    bind(server.url);
    expect((await ask(server.url)).status).toBe(200);
    await world.gateway.restart();
    const client = await world.gateway.connect(world.run.credential);
    await client.request('tool.call.begin', toolCall({ args: { text: VALUE } }));
    const [start] = world.gateway.rows('tool_call_start');
    expect(start?.runId).toBe(world.run.id);
    expect(filesWithValue(world)).toEqual([]);
  });

  it('is another one with the next request after it was replaced, and none after it was unbound', async () => {
    const { bind, unbind, put, ask, injected } = await place();
    const server = await scripted((got, response) =>
      sayJson(response, resultOf(got, { content: [said(`${got.headers.authorization} ${VALUE}`)] })),
    );
    bind(server.url);
    await ask(server.url);
    await put(OTHER);
    const { text } = await ask(server.url);
    expect(text).toContain(`Bearer ${MARK} ${MARK}`);
    unbind();
    await ask(server.url, { headers: { authorization: 'the-client-s-own' } });
    expect(server.got.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${VALUE}`,
      `Bearer ${OTHER}`,
      'the-client-s-own',
    ]);
    expect(injected()).toHaveLength(1);
  });

  it.each(['text/event-stream', 'Text/Event-Stream'])(
    'is taken out of a stream of `%s` that was open before it replaced another, or before it was bound',
    async (type) => {
      const { world, bind, put, ask } = await place();
      let open: ServerResponse | undefined;
      const server = await scripted((got, response) => {
        if (got.method !== 'GET') return sayJson(response, resultOf(got, { content: [] }));
        open = response.writeHead(200, { 'content-type': type });
        open.write(`: ${got.headers.authorization}\n\n`);
      });
      const repeat = (value: string): string => `data: ${JSON.stringify(noticeOf(value))}\n\n`;
      const listening = stream(world.url('srv'), world.headers(server.url));
      await listening.first;
      bind(server.url);
      await ask(server.url);
      open?.write(repeat(VALUE));
      await put(OTHER);
      await ask(server.url);
      open?.end(repeat(VALUE) + repeat(OTHER));
      const whole = await listening.whole;
      expect(whole.split(MARK)).toHaveLength(4);
      expect(whole).not.toMatch(/wieder|the-one-that/);
    },
  );

  it('that is not there, or that no header can hold, lets no request go, and the record says so', async () => {
    const { world, bind, put, ask, injected } = await place();
    const server = await scripted(plain);
    bind(server.url, { secret_ref: 'later' });
    expect(codeOf(await ask(server.url))).toBe('secret_missing');
    for (const value of [
      'two\r\nX-Injected: lines',
      'with a tab\there',
      'ümlaut-and-more',
      ' space-before',
      'x'.repeat(9000),
    ]) {
      await put(value, 'later');
      const answer = await ask(server.url);
      expect([codeOf(answer), answer.text.includes(value.slice(0, 8))]).toEqual(['secret_missing', false]);
    }
    expect(server.got).toEqual([]);
    expect(injected()).toHaveLength(6);
    expect(injected()).toContainEqual(expect.objectContaining({ secret_ref: 'later', success: false }));
    await put(OTHER, 'later');
    expect((await ask(server.url)).status).toBe(200);
    const operator = await world.gateway.operator();
    await operator.request('secrets.remove', { name: 'later' });
    expect(codeOf(await ask(server.url))).toBe('secret_missing');
    expect(injected().at(-1)).toMatchObject({ success: false });
    expect(server.got).toHaveLength(1);
  });

  it('that goes to no TLS, and to another machine, is not sent, and the record does not say that it was', async () => {
    const { world, bind, injected } = await place(undefined, {
      resolver: { resolve: () => Promise.resolve(['10.9.8.7']) },
    });
    const operator = await world.gateway.operator();
    await operator.request('allow.add', { host: 'localhost', allow_private: true });
    bind('http://localhost:8080/mcp');
    expect(codeOf(await world.post('http://localhost:8080/mcp', CALL))).toBe('secret_refused');
    expect(injected()).toEqual([expect.objectContaining({ secret_ref: 'token', success: false })]);
    expect((await operator.request('secrets.list', {})).data).toMatchObject({
      secrets: [{ name: 'token', uses: 0 }],
    });
  });

  it('of a run that has too many is not sent, and the record does not say that it was', async () => {
    const { world, bind, put, injected } = await place();
    const server = await scripted(plain);
    for (let n = 0; n < 18; n += 1) await put(`${n}-`.padEnd(7500, 'x'), `token-${n}`);
    for (let n = 0; n < 18; n += 1) bind(server.url, { inject_as: `X-Token-${n}`, secret_ref: `token-${n}` });
    expect(codeOf(await world.post(server.url, CALL))).toBe('secret_refused');
    expect(injected()).toContainEqual(expect.objectContaining({ secret_ref: 'token-0', success: false }));
    expect(injected()).not.toContainEqual(expect.objectContaining({ success: true }));
    expect(server.got).toEqual([]);
  });

  it('comes from a file of one’s own, as any header that says who asks', async () => {
    const { world, bind, ask } = await place();
    const server = await scripted(plain);
    const path = join(world.gateway.paths.home, 'key');
    writeFileSync(path, `${OTHER}\n`, { mode: 0o600 });
    bind(server.url, { inject_as: 'X-Api-Key', prefix: 'key=', source: 'file', secret_ref: path });
    await ask(server.url, { headers: { x_api_key: 'the-client-s-own', authorization: 'kept' } });
    expect(
      server.got.map(({ headers }) => [headers['x-api-key'], headers['x_api_key'], headers.authorization]),
    ).toEqual([[`key=${OTHER}`, undefined, 'kept']]);
  });

  it.each([
    ['frames the request', { inject_as: 'Transfer-Encoding' }],
    ['is of one connection', { inject_as: 'connection' }],
    ['says where it goes', { inject_as: 'Host' }],
    ['says what the body is', { inject_as: 'Content-Type' }],
    ['is of the protocol', { inject_as: 'Mcp-Session-Id' }],
    ['is of the gateway', { inject_as: 'Subluminal_Token' }],
    ['is no name', { inject_as: 'X Key:' }],
    ['goes without TLS', { url: 'http://mcp.example.com/mcp' }],
    ['goes to a user', { url: 'https://me@mcp.example.com/mcp' }],
    ['is a variable', { source: 'env', secret_ref: 'TOKEN' }],
    ['lies in a keychain', { source: 'keychain' }],
    ['has a line end before it', { prefix: 'Bearer\r\nX: ' }],
    ['is started as well', { command: ['sh'] }],
    ['has hosts as well', { hosts: ['api.example.com'] }],
  ])('is not bound by what %s, and no request goes meanwhile', async (_, more) => {
    const { bind, ask } = await place();
    const server = await scripted(plain);
    bind(server.url, more);
    expect(codeOf(await ask(server.url))).toBe('config_invalid');
    expect(server.got).toEqual([]);
  });
});

const said = (text: string): unknown => ({ type: 'text', text });
const tool = (description: string): unknown => ({
  name: 'look',
  description,
  inputSchema: { type: 'object' },
});
const noticeOf = (data: string): unknown => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});

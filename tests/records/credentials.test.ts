import { expect, it } from 'vitest';
import { newAuthority, sendJson, serve, type Seen } from './kit/https.js';
import { codeOf, given, records } from './kit/world.js';

const SECRET = 'tok-0123456789-abcdef';
const NARROW = 'tok-of-the-narrow-one';
const BEARER = `Bearer ${SECRET}`;

it('a credential goes where its account says, and nowhere else', async () => {
  const authority = newAuthority();
  const other = await serve(authority, (_seen, response) => response.end('other'));
  const server = await serve(authority, (_seen, response) => sendJson(response, { ok: true }));
  const origin = `https://api.test:${server.port}`;
  const { world, allow, account } = await records(authority);
  await allow('api.test', server.port);
  await allow('other.test', server.port);
  await allow('other.test', other.port);
  await account('api', 'broad', { origin, prefix: '/v1', methods: ['GET', 'POST'] }, SECRET);
  await account(
    'api',
    'narrow',
    { origin, prefix: '/v1/admin/', header: 'x-api-key', scheme: 'raw' },
    NARROW,
  );
  const { client } = await world.run();
  const call = (endpoint: string, more: Record<string, unknown> = {}) =>
    client.request('service.api_call', { service: 'anything', endpoint, method: 'GET', ...more });
  /** What the last request that reached a server had as credentials. */
  const had = ({ headers }: Seen) => [headers.authorization, headers['x-api-key']];
  const sent = async (endpoint: string, more: Record<string, unknown> = {}) => {
    const before = server.seen.length;
    const code = codeOf(await call(endpoint, more));
    const last = server.seen[before];
    return last === undefined ? code : had(last);
  };

  const [none, broad, narrow] = [
    [undefined, undefined],
    [BEARER, undefined],
    [undefined, NARROW],
  ];
  const table: readonly (readonly [string, unknown, Record<string, unknown>?])[] = [
    [`${origin}/v1`, broad],
    [`${origin}/v1/things?q=/v2`, broad],
    [`${origin}/v1/x`, broad, { method: 'POST', body: {} }],
    [`${origin}/v1/admin/keys`, narrow],
    [`${origin}/v1/admin/keys`, narrow, { method: 'DELETE' }],
    // Another method, another path, another name of the same server.
    [`${origin}/v1/x`, none, { method: 'DELETE' }],
    [`${origin}/v10`, none],
    [`${origin}/V1/x`, none],
    [`${origin}/`, none],
    [`https://other.test:${server.port}/v1/x`, none],
    // The label of the service means nothing.
    [`${origin}/v2/x`, none, { service: 'broad' }],
    // Paths that are read in two ways: they get what they are as they are sent, or nothing.
    [`${origin}/v1/../v2/x`, none],
    [`${origin}/v1/%2e%2e/v2/x`, none],
    [`${origin}/v1/.%2E/v2/x`, none],
    [`${origin}/v1/..%2fv2`, none],
    [`${origin}/v1/%252e%252e/v2`, none],
    [`${origin}/v1/..;/v2`, none],
    [`${origin}/v1//../../v2`, none],
    [`${origin}/v1//x`, none],
    [`${origin}/v1/%5c..%5cv2`, none],
    [`${origin}/v2/../v1/x`, broad],
    [`${origin}/v1\\..\\v2`, 'invalid_request'],
    // Bytes that are no UTF-8, which some read as a dot or a slash, and what is no encoding at all.
    [`${origin}/v1/%c0%ae%c0%ae/v2`, none],
    [`${origin}/v1/..%C0%AFv2`, none],
    [`${origin}/v1/%e0%80%af..%ff`, none],
    [`${origin}/v1/%u002e%u002e/v2`, none],
    [`${origin}/v1/100%`, none],
    [`${origin}/v1/caf%C3%A9/%E2%82%AC%20x`, broad],
    // Nobody sets or doubles what the gateway sets.
    [`${origin}/v1/x`, 'invalid_request', { headers: { aUTHORIZATION: 'Bearer mine' } }],
    [`${origin}/v1/admin/x`, 'invalid_request', { headers: { 'X-Api-Key': 'mine' } }],
    [`${origin}/v1/x`, 'invalid_request', { headers: { 'Accept-Encoding': 'gzip' } }],
    // Another method or path by a header, and an answer in pieces.
    [
      `${origin}/v1/x`,
      'invalid_request',
      { method: 'POST', headers: { 'X-HTTP-Method-Override': 'DELETE' } },
    ],
    [`${origin}/v1/x`, 'invalid_request', { method: 'POST', headers: { 'x-method-override': 'DELETE' } }],
    [`${origin}/v1/admin/x`, narrow, { method: 'POST', headers: { 'X-HTTP-Method': 'PUT' } }],
    [`${origin}/v1/x`, 'invalid_request', { headers: { 'X-Original-URL': '/v2' } }],
    [`${origin}/v1/admin/x`, 'invalid_request', { headers: { 'x-rewrite-url': '/v2' } }],
    [`${origin}/v1/x`, 'invalid_request', { headers: { Range: 'bytes=7-9' } }],
    [`${origin}/v2/x`, none, { headers: { Range: 'bytes=7-9', 'X-Original-URL': '/v1' } }],
    [`${origin}/v2/x`, ['Bearer mine', undefined], { headers: { authorization: 'Bearer mine' } }],
  ];
  for (const [endpoint, wanted, more] of table)
    expect([endpoint, more, await sent(endpoint, more)]).toEqual([endpoint, more, wanted]);

  // What is echoed comes back without it: as text, in a header, in bytes that are no text.
  server.answer = ({ headers }, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-echo': headers.authorization ?? '' })
      .end(JSON.stringify(headers));
  const echoed = given(await call(`${origin}/v1/echo`));
  expect(JSON.stringify(echoed)).not.toContain(SECRET);
  expect(echoed['body']).toContain('Bearer [REDACTED:account broad]');
  expect(echoed['headers']).toMatchObject({ 'x-echo': 'Bearer [REDACTED:account broad]' });
  server.answer = ({ headers }, response) =>
    response.end(Buffer.concat([Buffer.of(255, 0, 254), Buffer.from(headers.authorization ?? '')]));
  const bytes = given(await call(`${origin}/v1/bytes`));
  expect(bytes['body_encoding']).toBe('base64');
  expect(Buffer.from(bytes['body'] as string, 'base64').toString('latin1')).toBe(
    'ÿ\0þBearer [REDACTED:account broad]',
  );
  server.answer = ({ headers }, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(headers.authorization);
  expect(given(await call(`${origin}/v1/gzip`))).toMatchObject({ body: '', withheld: true });
  server.answer = (_seen, response) =>
    response.socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n');
  expect(given(await call(`${origin}/v1/gzip`))).toMatchObject({ body: '', withheld: true });

  // A redirect keeps it at its place, and has lost it once it has left that.
  const redirects: readonly (readonly [string, readonly unknown[]])[] = [
    ['/v1/again', broad],
    ['/v2/out', none],
    ['/v1/admin/in', none],
  ];
  for (const [to, wanted] of redirects) {
    server.answer = ({ url }, response) =>
      url === '/v1/start' ? response.writeHead(302, { location: to }).end() : response.end();
    await call(`${origin}/v1/start`);
    expect([to, had(server.seen.at(-1) as Seen)]).toEqual([to, wanted]);
  }
  server.answer = ({ url }, response) =>
    url === '/v1/start'
      ? response.writeHead(302, { location: `https://other.test:${other.port}/hop` }).end()
      : response.end();
  other.answer = (_seen, response) => response.writeHead(302, { location: `${origin}/v1/back` }).end();
  await call(`${origin}/v1/start`);
  expect(other.seen.map(had)).toEqual([none]);
  expect([server.seen.at(-1)?.url, had(server.seen.at(-1) as Seen)]).toEqual(['/v1/back', none]);
  server.answer = ({ headers }, response) =>
    response
      .writeHead(302, { location: `https://other.test:${other.port}/?t=${headers.authorization?.slice(7)}` })
      .end();
  expect(codeOf(await call(`${origin}/v1/leak`))).toBe('adapter_failed');
  expect(other.seen).toHaveLength(1);

  // Each entry says whose credential went along: of what came by a redirect too.
  const used = world
    .rows('action_pending')
    .filter(({ tool }) => tool === 'service.api_call')
    .map(({ data }) => [data['redirects'] ?? 0, data['account']]);
  expect(used.slice(0, 4)).toEqual([
    [0, 'broad'],
    [0, 'broad'],
    [0, 'broad'],
    [0, 'narrow'],
  ]);
  expect(used.filter(([hops]) => hops !== 0)).toEqual([
    [1, 'broad'],
    [1, undefined],
    [1, undefined],
    [1, undefined],
    [2, undefined],
  ]);
  const entries = JSON.stringify(world.rows());
  for (const secret of [SECRET, NARROW]) expect(entries).not.toContain(secret);
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
});

it('nobody learns a credential in parts: by guessing, by cutting, or as somebody else writes it', async () => {
  const authority = newAuthority();
  const server = await serve(authority, (_seen, response) => response.end());
  const { world, allow, account } = await records(authority);
  const { port } = server;
  for (const name of ['api', 'bank', 'fhir']) await allow(`${name}.test`, port);
  const [password, token] = ['pass+word/of ada', 'eyJhbGciOiJIUzI1NiJ9.token'];
  await account('api', 'a', { origin: `https://api.test:${port}`, scheme: 'basic' }, `ada:${password}`);
  await account('health', 'h', { base: `https://fhir.test:${port}/r4` }, token);
  await account(
    'finance',
    'f',
    { origin: `https://bank.test:${port}` },
    `https://ada:${encodeURIComponent(password)}@bank.test:${port}/x`,
  );
  const { client } = await world.run();
  const answered = async (text: string): Promise<string> => {
    server.answer = (_seen, response) => response.end(text);
    const endpoint = `https://api.test:${port}/echo`;
    const data = given(await client.request('service.api_call', { service: 'x', endpoint, method: 'GET' }));
    return data['body'] as string;
  };

  // What begins like it, at the end of a text, looks like every other text: else each character could be
  // tried.
  const basic = Buffer.from(`ada:${password}`).toString('base64');
  for (const start of [basic.slice(0, 20), `ada:${password}`.slice(0, 14), password.slice(0, 10)]) {
    const text = `${'-'.repeat(80)}${start}`;
    expect(await answered(text)).toBe(text);
  }
  const written = [
    password,
    basic,
    basic.replace(/=+$/, ''),
    encodeURIComponent(`ada:${password}`),
    JSON.stringify(password).replaceAll('/', '\\/').slice(1, -1),
  ];
  for (const text of written)
    expect([text, await answered(`<${text}>`)]).toEqual([
      text,
      expect.stringMatching(/^<(?:ada:)?\[REDACTED:account a\]=*>$/),
    ]);

  // Where a text of the service is cut, the credential is gone already.
  for (const [at, action, payload, bodyOf] of [
    [4096, 'health.fetch', { dataType: 'sleep' }, outcome],
    [300, 'health.fetch', { dataType: 'sleep' }, outcome],
    [1024, 'finance.fetch_transactions', {}, (said: string) => ({ accounts: [], errors: [said] })],
  ] as const)
    for (const before of [5, 9, 14]) {
      server.answer = ({ headers }, response) => {
        const sent = headers.authorization?.replace(/^\w+ /, '') ?? '';
        const own = action === 'health.fetch' ? sent : Buffer.from(sent, 'base64').toString().slice(4);
        sendJson(response, bodyOf(`${'.'.repeat(at - before)}${own}`), action === 'health.fetch' ? 400 : 200);
      };
      const told = JSON.stringify(await client.request(action, payload));
      for (const secret of [token, password]) expect(told).not.toContain(secret.slice(0, 5));
    }
});

function outcome(diagnostics: string): unknown {
  return { resourceType: 'OperationOutcome', issue: [{ code: 'x', diagnostics }] };
}

import { parseJson, ServiceApiCallPayload } from '@subluminal/core-types';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { checkAddresses, type CheckedDestination, Dialer, resolveDestination } from '@subluminal/egress';
import { createApiCallAdapter } from './api-call-adapter.js';
import type { ServiceOutcome } from '../action/service-adapter.js';

const never = new AbortController().signal;
const OF = { runId: 'run-1', requestId: 'request-1' };
const LIMITS = { timeoutMs: 4_000, maxResponseBytes: 10_000 };
const none = { all: () => [], secretOf: () => '' };
const adapter = createApiCallAdapter({ dialer: new Dialer(), accounts: none });

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const one = { method: request.method, url: request.url, headers: request.headers, body };
      seen.push(one);
      answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  open.push(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://service.test:${address.port}`, seen };
}

type Payload = ServiceApiCallPayload;

function payloadOf(fields: Record<string, unknown>): Payload {
  const payload = parseJson(JSON.stringify({ service: 'example', method: 'GET', ...fields }));
  return ServiceApiCallPayload.parse(payload);
}

function decided(payload: Payload): CheckedDestination {
  const { destination } = adapter.prepare(payload, []);
  if (destination === undefined) throw new Error('no destination');
  return checkAddresses(destination, ['127.0.0.1'], true);
}

function execute(payload: Payload, limits = LIMITS): Promise<ServiceOutcome<Payload>> {
  const attempt = adapter.prepare(payload, []);
  return attempt.execute({ ...OF, destination: decided(payload), signal: never, limits });
}

describe('service.api_call', () => {
  it('sends what it was given and returns what came', async () => {
    const { origin, seen } = await serve((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1'] });
      response.end('{"ok":true}');
    });
    const outcome = await execute(
      payloadOf({
        endpoint: `${origin}/v1?q=1#x`,
        method: 'POST',
        headers: { 'X-One': '1' },
        body: { b: 1, a: 'ü' },
      }),
    );
    expect(outcome).toMatchObject({
      kind: 'success',
      data: {
        status: 201,
        headers: { 'content-type': 'application/json', 'set-cookie': ['a=1'] },
        body: '{"ok":true}',
        body_encoding: 'utf8',
        bytes: 11,
      },
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/v1?q=1',
        headers: {
          host: new URL(origin).host,
          connection: 'close',
          'accept-encoding': 'identity',
          'user-agent': 'subluminal',
          'content-type': 'application/json',
          'content-length': '16',
          'x-one': '1',
        },
        body: '{"a":"ü","b":1}',
      },
    ]);
  });

  it('sends a string body as it is, without inventing a type', async () => {
    const { origin, seen } = await serve((_, response) => response.end());
    await execute(payloadOf({ endpoint: origin, method: 'PUT', body: ' {"not":  canonical ' }));
    expect(seen[0]?.body).toBe(' {"not":  canonical ');
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('sends a number with its exact digits', async () => {
    const { origin, seen } = await serve((_, response) => response.end());
    const text = `{"service":"x","endpoint":"${origin}/","method":"POST","body":[9007199254740993,null]}`;
    await execute(ServiceApiCallPayload.parse(parseJson(text)));
    expect(seen[0]?.body).toBe('[9007199254740993,null]');
  });

  it('reports an error status of the service as an answer', async () => {
    const { origin } = await serve((_, response) => response.writeHead(503).end('down'));
    expect(await execute(payloadOf({ endpoint: origin }))).toMatchObject({
      kind: 'success',
      data: { status: 503, body: 'down' },
    });
  });

  it('returns a redirect and does not follow it', async () => {
    const { origin, seen } = await serve((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    const outcome = await execute(payloadOf({ endpoint: origin, headers: { Authorization: 'Bearer s' } }));
    expect(outcome).toEqual({
      kind: 'redirect',
      status: 302,
      next: {
        service: 'example',
        endpoint: 'http://169.254.169.254/latest/meta-data/',
        method: 'GET',
        headers: {},
      },
    });
    expect(seen).toHaveLength(1);
  });

  it('leads a redirect to a private address into the same checks', async () => {
    const { origin } = await serve((_, response) =>
      response.writeHead(307, { location: 'http://127.1:1/' }).end(),
    );
    const outcome = await execute(payloadOf({ endpoint: origin }));
    if (outcome.kind !== 'redirect') throw new Error('expected a redirect');
    const { destination } = adapter.prepare(outcome.next, []);
    if (destination === undefined) throw new Error('no destination');
    const resolver = { resolve: () => Promise.resolve([]) };
    await expect(
      resolveDestination(destination, {
        resolver,
        asker: undefined,
        allowPrivate: false,
        signal: never,
        timeoutMs: 1_000,
      }),
    ).rejects.toMatchObject({
      code: 'address_refused',
      details: { address: '127.0.0.1', verdict: 'loopback' },
    });
  });

  it('executes only what was decided on', async () => {
    const { origin, seen } = await serve((_, response) => response.end());
    const destination = decided(payloadOf({ endpoint: origin }));
    const payload = payloadOf({ endpoint: origin.replace('service.test', 'other.test') });
    for (const given of [destination, undefined]) {
      expect(
        await adapter
          .prepare(payload, [])
          .execute({ ...OF, destination: given, signal: never, limits: LIMITS }),
      ).toMatchObject({
        kind: 'error',
        code: 'not_allowed',
      });
    }
    expect(seen).toEqual([]);
  });

  it('reports a large answer and a slow one as errors', async () => {
    const { origin } = await serve((seen, response) => {
      if (seen.url === '/large') response.end('x'.repeat(10_001));
    });
    expect(await execute(payloadOf({ endpoint: `${origin}/large` }))).toEqual({
      kind: 'error',
      code: 'response_too_large',
      message: `the answer of \`${origin}\` has more than 10000 bytes`,
    });
    expect(await execute(payloadOf({ endpoint: `${origin}/slow` }), { ...LIMITS, timeoutMs: 100 })).toEqual({
      kind: 'error',
      code: 'timed_out',
      message: `\`${origin}\` did not answer completely within 100 ms`,
    });
  });

  it('says of a request that may have had an effect that it is in doubt, once it was sent', async () => {
    const { origin } = await serve((_seen, response) => response.destroy());
    const codes = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(async (method) => {
      const outcome = await execute(payloadOf({ endpoint: `${origin}/`, method }));
      return outcome.kind === 'error' ? outcome.code : outcome.kind;
    });
    expect(await Promise.all(codes)).toEqual(['adapter_failed', ...Array(4).fill('in_doubt')]);
    const astray = await serve((_seen, response) => response.writeHead(302, { location: 'file:///x' }).end());
    const posted = await execute(payloadOf({ endpoint: `${astray.origin}/`, method: 'POST' }));
    expect(posted).toMatchObject({ kind: 'error', code: 'in_doubt' });
    const nobody = await execute(payloadOf({ endpoint: 'http://service.test:1/', method: 'POST' }));
    expect(nobody).toMatchObject({ kind: 'error', code: 'adapter_failed' });
  });

  it('does not show header values in an error', async () => {
    const payload = payloadOf({
      endpoint: 'http://service.test:1/',
      headers: { Authorization: 'Bearer hunter2' },
    });
    const outcome = await execute(payload);
    expect(outcome).toMatchObject({ kind: 'error', code: 'adapter_failed' });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });
});

describe('a payload that cannot be sent', () => {
  it.each([
    ['a relative endpoint', { endpoint: '/v1' }],
    ['a user name', { endpoint: 'https://user@api.example.com/' }],
    ['another scheme', { endpoint: 'file:///etc/passwd' }],
    ['a host header', { endpoint: 'https://api.example.com/', headers: { Host: 'evil.test' } }],
    ['a split header', { endpoint: 'https://api.example.com/', headers: { 'x-a': 'b\r\nHost: evil.test' } }],
    ['a GET with a body', { endpoint: 'https://api.example.com/', body: 'x' }],
  ])('is refused before it is decided on: %s', (_what, fields) => {
    expect(() => adapter.prepare(payloadOf(fields), [])).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

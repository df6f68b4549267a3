/**
 * What a server, an agent or a host could try with placeholders: the secret goes to its host, over TLS, for
 * its own server, and nowhere else; and what comes back holds none.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { proxyRunToken } from '@subluminal/core-types';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { holdBack } from '../gateway/cleanups.js';
import { listening, Peer } from '../proxy/world.js';
import {
  ask,
  BOUND,
  COMMAND,
  endOf,
  exchange,
  injectWorld,
  loginOf,
  OTHER,
  PASSWORD,
  secured,
  SECRET,
  secureTo,
  SERVER,
  textOf,
  tunnelTo,
  UNLISTED,
  type InjectWorld,
} from './world.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

/** An answer that has begun and waits. */
let early: ServerResponse | undefined;

/** Answers by the path: what a host could do with a secret. */
const HOST: RequestListener = (request, response) => {
  const sent = String(request.headers.authorization).replace('Bearer ', '');
  const { url = '/' } = request;
  if (url === '/compressed') {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(Buffer.from(sent).toReversed());
  } else if (url === '/redirect') {
    response.writeHead(302, { Location: `https://${OTHER}/?token=${sent}`, 'X-Token': sent });
    response.end();
  } else if (url === '/pieces') {
    // One piece a byte: no piece holds the secret.
    const text = Buffer.from(`<${sent}|${sent}>${sent.slice(0, 20)}`);
    let at = 0;
    const next = (): void => {
      if (at === text.length) response.end();
      else response.write(text.subarray(at, (at += 1)), () => setImmediate(next));
    };
    next();
  } else if (url === '/spelt') {
    response.end(
      [
        JSON.stringify(sent),
        JSON.stringify(JSON.stringify(sent)),
        JSON.stringify(sent).replaceAll('/', String.raw`\/`),
        encodeURIComponent(sent),
        Buffer.from(sent).toString('base64'),
        sent.replaceAll('"', '&quot;'),
      ].join('\n'),
    );
  } else if (url === '/echo') {
    response.setHeader('X-Echo', String(request.headers.authorization));
    response.end(JSON.stringify(request.headers));
  } else if (url === '/early') {
    response.write(`first ${sent.slice(0, 5)}!\n`);
    early = response;
  } else response.end(`got ${url} ${textOf(request)}`);
};

let world: InjectWorld;
const bearer = (): string => `Authorization: Bearer ${world.held.placeholder}`;
const authority = (): string => `${BOUND}:${world.at}`;

let leave: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  world = await injectWorld(HOST);
  leave = holdBack();
});
afterAll(() => leave());
beforeEach(() => {
  world.got.length = 0;
});

/** What a raw text on an inspected connection is answered with. */
async function said(text: string): Promise<string> {
  const socket = await secureTo(world);
  const answer = await exchange(socket, text);
  socket.destroy();
  return answer;
}

describe('a secret that is put in on the way out', () => {
  it('reaches the server, as a bearer and in a login, and its client gets the placeholder back', async () => {
    const { held, got } = world;
    expect(held.placeholder).toMatch(/^[A-Za-z0-9]+$/);
    expect(held.placeholder).toHaveLength(Buffer.byteLength(SECRET));
    const login = Buffer.from(`user:${held.password}`).toString('base64');
    const text = await ask(world, `GET /echo HTTP/1.1\n${bearer()}\nX-Login: Basic ${login}`);
    expect(got).toHaveLength(1);
    expect(got[0]?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'x-login': `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`,
      host: authority(),
      'accept-encoding': 'identity',
    });
    expect(text).toContain(`X-Echo: Bearer ${held.placeholder}`);
    expect(text).toContain(`"authorization":"Bearer ${held.placeholder}`);
    expect(text).toContain(`"x-login":"Basic ${login}"`);
    expect(text).not.toContain('real');
    expect(await endOf(world, ({ requests }) => requests === 1)).toMatchObject({
      outcome: 'closed',
      sni: BOUND,
      injected: [
        { inject_as: 'API_TOKEN', requests: 1 },
        { inject_as: 'API_PASSWORD', requests: 1 },
      ],
    });
  });
});

describe('a request that is not what it seems', () => {
  const line = (text: string): string => text.replaceAll('\n', '\r\n');
  it.each([
    ['names another host', 'GET / HTTP/1.1\nHost: other.example\nA: ~\n\n', 421],
    ['names the host with another port', 'GET / HTTP/1.1\nHost: api.example\nA: ~\n\n', 421],
    ['names two hosts', 'GET / HTTP/1.1\nHost: HOST\nHost: other.example\nA: ~\n\n', 400],
    ['names no host', 'GET / HTTP/1.1\nA: ~\n\n', 400],
    ['names a user', 'GET / HTTP/1.1\nHost: a@HOST\nA: ~\n\n', 421],
    ['is in absolute form', 'GET https://other.example/ HTTP/1.1\nHost: HOST\nA: ~\n\n', 400],
    ['asks for a tunnel', 'CONNECT other.example:443 HTTP/1.1\nHost: HOST\nA: ~\n\n', 405],
    ['asks for its own head', 'TRACE / HTTP/1.1\nHost: HOST\nA: ~\n\n', 405],
    ['is a GET with a body', 'GET / HTTP/1.1\nHost: HOST\nA: ~\nContent-Length: 5\n\nGET /', 400],
    ['has two lengths', 'POST / HTTP/1.1\nHost: HOST\nA: ~\nContent-Length: 1\nContent-Length: 2\n\nxx', 400],
    ['has a length that is no number', 'POST / HTTP/1.1\nHost: HOST\nA: ~\nContent-Length: 0x1\n\nx', 400],
    ['has a length with a sign', 'POST / HTTP/1.1\nHost: HOST\nA: ~\nContent-Length: +1\n\nx', 400],
    [
      'has a length and chunks',
      'POST / HTTP/1.1\nHost: HOST\nA: ~\nContent-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n',
      400,
    ],
    [
      'has chunks of another coding',
      'POST / HTTP/1.1\nHost: HOST\nA: ~\nTransfer-Encoding: gzip, chunked\n\n0\n\n',
      400,
    ],
    ['folds a line', 'GET / HTTP/1.1\nHost: HOST\nA: ~\n more\n\n', 400],
    ['goes on with HTTP/2', 'GET / HTTP/1.1\nHost: HOST\nA: ~\nConnection: Upgrade\nUpgrade: h2c\n\n', 400],
    ['has a space before a colon', 'GET / HTTP/1.1\nHost: HOST\nA : ~\n\n', 400],
  ])('is refused where it %s', async (_what, text, status) => {
    const made = line(text.replaceAll('HOST', authority()).replaceAll('~', world.held.placeholder));
    const answer = await said(made);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(world.got).toEqual([]);
  });

  it.each(['\n', '\r'])('is refused where a line ends with %j alone', async (end) => {
    const answer = await said(
      `GET / HTTP/1.1\r\nHost: ${authority()}${end}A: ${world.held.placeholder}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(world.got).toEqual([]);
  });

  it.each([
    ['path', (text: string) => `/${text}/a`],
    ['query', (text: string) => `/?token=${text}`],
    ['query, with escapes', (text: string) => `/?token=%${text.charCodeAt(0).toString(16)}${text.slice(1)}`],
  ])('is refused where the placeholder stands in its %s', async (_where, target) => {
    const answer = await ask(world, `GET ${target(world.held.placeholder)} HTTP/1.1`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain('"code":"secret_refused"');
    expect(world.got).toEqual([]);
  });

  it('is read whole, however many fields it has: none is behind those that were judged', async () => {
    const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${OTHER}\r\n\r\n`;
    const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    const many = 'a:b\r\n'.repeat(2500);
    const text = `POST /many HTTP/1.1\r\nHost: ${authority()}\r\nConnection: close\r\n${many}Transfer-Encoding: chunked\r\n\r\n${chunk}`;
    expect(await said(text)).toContain('got /many');
    expect(world.got).toHaveLength(1);
    expect(world.got[0]?.body).toBe(smuggled);
    const hosts = `GET / HTTP/1.1\r\nHost: ${authority()}\r\n${many}Host: ${OTHER}\r\n\r\n`;
    expect(await said(hosts)).toMatch(/^HTTP\/1\.1 400 /);
    expect(world.got).toHaveLength(1);
  });

  it('gets no secret in a field that servers keep and show again', async () => {
    const { placeholder } = world.held;
    const before = world.got.length;
    await ask(
      world,
      `GET /kept HTTP/1.1\nUser-Agent: ${placeholder}\nX-Amz-Meta-A: ${placeholder}\nX-Key: ${placeholder}`,
    );
    expect(world.got.slice(before).map(({ headers }) => headers)).toMatchObject([
      { 'user-agent': placeholder, 'x-amz-meta-a': placeholder, 'x-key': SECRET },
    ]);
  });

  it('asks for whole answers: in the parts that a client cuts it into, no secret would be known', async () => {
    await ask(world, 'GET /whole HTTP/1.1\nRange: bytes=0-7\nIf-Range: "a"');
    const got = world.got.find(({ url }) => url === '/whole');
    expect([got?.headers['range'], got?.headers['if-range']]).toEqual([undefined, undefined]);
  });

  it('leaves a body as it is', async () => {
    const { placeholder } = world.held;
    const socket = await secureTo(world);
    const text = `POST /body HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\nConnection: close\r\nContent-Length: ${placeholder.length}\r\n\r\n${placeholder}`;
    expect(await exchange(socket, text)).toContain(`got /body ${placeholder}`);
    expect(world.got[0]).toMatchObject({ body: placeholder, headers: { authorization: `Bearer ${SECRET}` } });
  });
});

describe('a client that speaks no HTTP', () => {
  // Drawn before the test: to draw is no work of the gateway.
  const noises = fc.sample(
    fc.tuple(fc.nat(3), fc.nat(400), fc.string({ unit: 'binary', maxLength: 40 }), fc.boolean()),
    { numRuns: 12, seed: 20 },
  );

  it('ends its own connection and nothing else, whatever it sends and wherever it stops', async () => {
    const heads = [
      `GET / HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\n\r\n`,
      `POST / HTTP/1.1\r\nHost: ${authority()}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${authority()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ];
    for (const [which, at, noise, isCut] of noises) {
      const head = heads[which] ?? '';
      const cut = at % head.length;
      const socket = await secureTo(world);
      socket.on('error', () => undefined);
      const latin1 = Buffer.from(noise).toString('latin1');
      socket.write(Buffer.from(head.slice(0, cut) + latin1 + (isCut ? '' : head.slice(cut)), 'latin1'));
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
    }
    expect(await ask(world, `GET /alive HTTP/1.1\n${bearer()}`)).toContain('got /alive');
    for (const { headers } of world.got) expect(headers.host).toBe(authority());
  });
});

describe('requests behind one another', () => {
  it('are sent one by one, each with its secret, and answered in their order', async () => {
    const one = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\n\r\n`;
    const socket = await secureTo(world);
    const text = await exchange(socket, one('/1') + one('/2') + one('/3'), (come) => come.includes('got /3'));
    expect(text.match(/got \/\d/g)).toEqual(['got /1', 'got /2', 'got /3']);
    expect(await exchange(socket, one('/4'), (come) => come.includes('got /4'))).toContain('got /4');
    socket.destroy();
    expect(world.got.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Bearer ${SECRET}`));
  });

  it('are cut off where too many wait', async () => {
    const one = `GET /many HTTP/1.1\r\nHost: ${authority()}\r\n\r\n`;
    await said(one.repeat(2000));
    expect(world.got.length).toBeLessThan(20);
  });
});

describe('an answer', () => {
  it('has the placeholder in place of the secret, however it is cut into pieces', async () => {
    const { placeholder } = world.held;
    const text = await ask(world, `GET /pieces HTTP/1.1\n${bearer()}`);
    const body = text.split('\r\n\r\n')[1]?.replaceAll(/\r\n[0-9a-f]*\r\n|^[0-9a-f]+\r\n/g, '') ?? '';
    // Where pieces come slowly, up to four bytes are given on as they are.
    const shown = `.{4}${placeholder.slice(4)}`;
    expect(body).toMatch(new RegExp(`^<${shown}\\|${shown}>`));
    expect(text).not.toContain(SECRET);
  });

  it('has it in none of the ways in which texts are written', async () => {
    const text = await ask(world, `GET /spelt HTTP/1.1\n${bearer()}`);
    for (const part of ['real', 'cmVhbC', '0123456789abcdef']) expect(text).not.toContain(part);
    expect(text.split(world.held.placeholder.slice(0, 20))).toHaveLength(7);
  });

  it('has it in no field, also where it leads elsewhere', async () => {
    const text = await ask(world, `GET /redirect HTTP/1.1\n${bearer()}`);
    expect(text).toContain(`Location: https://${OTHER}/?token=${world.held.placeholder}`);
    expect(text).not.toContain(SECRET);
  });

  it('is refused where it is compressed all the same', async () => {
    const text = await ask(world, `GET /compressed HTTP/1.1\n${bearer()}\nAccept-Encoding: gzip`);
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(text).toContain('"code":"protocol_refused"');
    expect(world.got[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('is given on as it comes, but for what could be the beginning of a secret', async () => {
    const socket = await secureTo(world);
    const head = `GET /early HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\n\r\n`;
    await exchange(socket, head, (come) => come.includes('first real+!'));
    const rest = exchange(socket, '', (come) => come.includes('last'));
    early?.end('last');
    expect(await rest).toContain('last');
    socket.destroy();
  });
});

describe('a placeholder elsewhere', () => {
  it('stays what it is at a host that it is not bound to, whose TLS nobody ends', async () => {
    const text = await ask(world, `GET / HTTP/1.1\n${bearer()}`, { host: OTHER, ca: world.authority.ca });
    expect(text).toContain('HTTP/1.1 200');
    expect(world.got[0]?.headers.authorization).toBe(`Bearer ${world.held.placeholder}`);
    expect(world.got[0]?.headers['accept-encoding']).toBeUndefined();
  });

  it('is not sent to a host that is bound and not listed, also where unlisted ones pass', async () => {
    const refused = await tunnelTo(world, `${UNLISTED}:${world.at}`);
    expect(refused).toContain('HTTP/1.1 403');
    expect(refused).toContain('is not on the allowlist: secrets go to listed places only');
  });

  it.each([
    ['the run itself', () => loginOf(world.run, 'run')],
    ['another server of the run', () => loginOf(world.run, 'notes')],
  ])('stays what it is on a connection of %s', async (_who, login) => {
    const text = await ask(world, `GET / HTTP/1.1\n${bearer()}`, {
      authorization: login(),
      ca: world.authority.ca,
    });
    expect(text).toContain('HTTP/1.1 200');
    expect(world.got[0]?.headers.authorization).toBe(`Bearer ${world.held.placeholder}`);
  });

  it('is of no use with the token of the run, or of another server, under the name of its server', async () => {
    for (const token of [proxyRunToken(world.run.credential), proxyRunToken(world.run.credential, 'notes')])
      expect(await tunnelTo(world, authority(), loginOf(world.run, SERVER, token))).toContain('HTTP/1.1 407');
  });

  it('is another one in another run and at another start, and those are worth nothing here', async () => {
    const other = await world.gateway.run();
    const theirs = await world.start(other);
    const again = await world.start(other, SERVER, COMMAND);
    expect(new Set([theirs.placeholder, again.placeholder, world.held.placeholder]).size).toBe(3);
    const guessed = `${world.held.placeholder.slice(0, -1)}${world.held.placeholder.endsWith('a') ? 'b' : 'a'}`;
    for (const one of [theirs.placeholder, guessed]) {
      await ask(world, `GET / HTTP/1.1\nAuthorization: Bearer ${one}`);
      expect(world.got.at(-1)?.headers.authorization).toBe(`Bearer ${one}`);
    }
    await ask(world, `GET / HTTP/1.1\nAuthorization: Bearer ${again.placeholder}`, {
      authorization: loginOf(other),
    });
    expect(world.got.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('is refused in a request without TLS to its host, and passes to others', async () => {
    const plain = await listening(
      createServer((request, response) => response.end(request.headers.authorization)),
    );
    await world.allow(BOUND, { port: plain });
    await world.allow(OTHER, { port: plain });
    const send = (host: string, more: string): Promise<string> => {
      const place = `${host}:${plain}`;
      return new Peer(world.port)
        .send(
          `GET http://${place}/ HTTP/1.1\r\nHost: ${place}\r\nProxy-Authorization: ${loginOf(world.run)}\r\n${more}\r\n\r\n`,
        )
        .over();
    };
    const refused = await send(BOUND, bearer());
    expect(refused).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused).toContain('secrets are put in over TLS only');
    expect(
      await send(
        BOUND,
        `Authorization: Basic ${Buffer.from(`a:${world.held.placeholder}`).toString('base64')}`,
      ),
    ).toMatch(/^HTTP\/1\.1 403 /);
    expect(await send(OTHER, bearer())).toContain(`Bearer ${world.held.placeholder}`);
    expect(await send(BOUND, 'A: b')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a connection to a bound host', () => {
  it('is refused where its handshake names another host', async () => {
    await expect(secureTo(world, { servername: OTHER })).rejects.toThrow(/unrecognized name|closed/);
    const end = await endOf(world, ({ outcome, sni }) => outcome === 'refused' && sni === OTHER);
    expect(end).toMatchObject({ error: { code: 'name_mismatch' }, requests: 0 });
    expect(world.got).toEqual([]);
  });

  it('is refused where what comes first is no TLS', async () => {
    const peer = await tunnelTo(world, authority());
    if (typeof peer === 'string') throw new Error(peer);
    const text = await peer.send(`GET / HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\n\r\n`).over();
    expect(text).toContain('"code":"protocol_refused"');
    expect(world.got).toEqual([]);
  });

  it('is not made where the certificate of the host is not its own', async () => {
    const wrong = await injectWorld(HOST, { extraCas: [] });
    const refused = await tunnelTo(wrong, `${BOUND}:${wrong.at}`);
    expect(refused).toContain('HTTP/1.1 502');
    expect(refused).toContain('no secure connection');
    expect(wrong.got).toEqual([]);
  });

  it('over SOCKS5 gets the secret too', async () => {
    const token = proxyRunToken(world.run.credential, SERVER);
    const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
    const peer = new Peer(world.port).send(Buffer.of(5, 1, 2));
    await peer.until((come) => come.length >= 2);
    peer.send(Buffer.concat([Buffer.of(1), text(SERVER), text(token)]));
    await peer.until((come) => come.length >= 4);
    peer.send(Buffer.concat([Buffer.of(5, 1, 0, 3), text(BOUND), Buffer.of(world.at >> 8, world.at & 255)]));
    await peer.until((come) => come.length >= 14);
    const socket = await secured(peer, readFileSync(world.held.trust.own, 'utf8'), BOUND);
    const head = `GET /socks HTTP/1.1\r\nHost: ${authority()}\r\n${bearer()}\r\nConnection: close\r\n\r\n`;
    expect(await exchange(socket, head)).toContain('got /socks');
    expect(world.got[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });
});

describe('the record, and everything that is written', () => {
  it('says beforehand what could be put in, and holds no secret', async () => {
    const { gateway } = world;
    const pending = gateway.rows('action_pending').find(({ tool }) => tool === 'net.connect');
    expect(pending?.data['facts']).toMatchObject({
      server_name: SERVER,
      listed: true,
      inspected: true,
      injects: [
        { inject_as: 'API_TOKEN', secret_ref: 'api_token' },
        { inject_as: 'API_PASSWORD', secret_ref: expect.stringContaining('password') },
      ],
    });
    await gateway.gateway.stop('to look');
    for (const path of [gateway.paths.ledgerDb, gateway.paths.gatewayDb, gateway.paths.gatewayLog]) {
      const bytes = readFileSync(path);
      for (const text of ['real+secret', 'real-password', 'PRIVATE KEY'])
        expect(bytes.includes(text)).toBe(false);
    }
  });
});

/** Real programs below a real shim: the secret arrives at its host, and is in no process but the gateway. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { after, holdBack } from '../gateway/cleanups.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { shimCommand } from '../harness/sub.js';
import { node24 } from '../proxy/node24.js';
import { bindingText, BOUND, endOf, injectWorld, OTHER, SECRET, type InjectWorld } from './world.js';

const RUNNING = fileURLToPath(new URL('fixtures/running-server.mjs', import.meta.url));
const COMMAND = [process.execPath, RUNNING];
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

const newest = node24();
let world: InjectWorld;
let session: RawSession;
let leave: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sub-repo-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const repo = repository(folder);
  world = await injectWorld(
    ({ url = '/', headers }, response) => {
      const path = new URL(url, 'https://x.example').pathname;
      if (path.startsWith('/repo.git/')) {
        if (headers.authorization === undefined) {
          response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' });
          response.end();
          return;
        }
        try {
          response.end(readFileSync(join(repo, path.slice('/repo.git/'.length))));
        } catch {
          response.writeHead(404);
          response.end();
        }
      } else if (path === '/away') {
        response.writeHead(302, { Location: `https://${OTHER}:${world.at}/followed` });
        response.end();
      } else response.end(JSON.stringify(headers));
    },
    {},
    (at) => bindingText('API_TOKEN', 'store', 'api_token', at, COMMAND),
  );
  session = await openRawSession(shimCommand(world.gateway.paths.home, 'issues', COMMAND), {
    PATH: process.env['PATH'],
  });
  leave = holdBack();
}, 180_000);
afterAll(async () => {
  await session?.close();
  await leave();
});

/** A repository, as files that git can clone. */
function repository(folder: string): string {
  const work = join(folder, 'work');
  mkdirSync(work);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: work,
      stdio: 'pipe',
    });
  if (has('git')) {
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('clone', '-q', '--bare', work, join(folder, 'repo.git'));
    execFileSync('git', ['update-server-info'], { cwd: join(folder, 'repo.git'), stdio: 'pipe' });
  }
  return join(folder, 'repo.git');
}

/** What a program below the server said. */
async function ran(...argv: string[]): Promise<string> {
  const { result } = await session.request('tools/call', { name: 'run', arguments: { argv } });
  return textOf(result);
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}

const url = (path: string): string => `https://${BOUND}:${world.at}${path}`;
const sent = (path: string): string | undefined =>
  world.got.findLast((one) => one.url.startsWith(path))?.headers.authorization;

describe('the secret of a server', () => {
  it.skipIf(!has('curl'))('is put in for curl, as a bearer and as a login', async () => {
    expect(await ran('curl', '-sS', '-H', 'Authorization: Bearer ${API_TOKEN}', url('/curl'))).toContain(
      'exit 0',
    );
    expect(sent('/curl')).toBe(`Bearer ${SECRET}`);
    const text = await ran('curl', '-sS', '-u', 'me:${API_TOKEN}', url('/login'));
    expect(sent('/login')).toBe(`Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`);
    expect(text).not.toContain(Buffer.from(`me:${SECRET}`).toString('base64'));
  });

  it.skipIf(!has('curl'))(
    'is not put in where a redirect leads elsewhere, although curl sends the placeholder there',
    async () => {
      // The certificate of the other host is known by `extra_ca_file`, which the bundle holds.
      await ran(
        'curl',
        '-sSL',
        '--location-trusted',
        '-H',
        'Authorization: Bearer ${API_TOKEN}',
        url('/away'),
      );
      expect(sent('/away')).toBe(`Bearer ${SECRET}`);
      expect(sent('/followed')).toMatch(/^Bearer [A-Za-z0-9]{36}$/);
    },
  );

  it.skipIf(!has('curl'))(
    'is not put in for a client that trusts somebody else, and the record says why',
    async () => {
      const others = join(world.gateway.paths.home, 'others.pem');
      writeFileSync(others, world.authority.ca);
      const text = await ran('curl', '-sS', '--cacert', others, url('/distrust'));
      expect(text).toContain('exit 60');
      const end = await endOf(world, ({ outcome }) => outcome === 'failed');
      expect(end).toMatchObject({
        requests: 0,
        error: { message: expect.stringContaining('did not go through with the handshake') },
      });
      expect(sent('/distrust')).toBeUndefined();
    },
  );

  it.skipIf(!existsSync('/usr/bin/python3'))('is put in for Python', async () => {
    const text = await ran(
      '/usr/bin/python3',
      '-c',
      `import os,urllib.request as u; print(u.urlopen(u.Request("${url('/python')}", headers={"Authorization": "Bearer " + os.environ["API_TOKEN"]})).status)`,
    );
    expect(text).toContain('200');
    expect(sent('/python')).toBe(`Bearer ${SECRET}`);
  });

  it('is put in for Node', async () => {
    const script = `
      const { request } = await import('node:https');
      const { connect } = await import('node:http');
      const { TLSSocket, connect: tls } = await import('node:tls');
      const http = await import('node:http');
      const proxy = new URL(process.env.HTTPS_PROXY);
      const login = Buffer.from(decodeURIComponent(proxy.username) + ':' + proxy.password).toString('base64');
      http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: '${BOUND}:${world.at}', headers: { Host: '${BOUND}:${world.at}', 'Proxy-Authorization': 'Basic ' + login } })
        .on('connect', (_answer, socket) => {
          request('${url('/node')}', { headers: { authorization: 'Bearer ' + process.env.API_TOKEN }, createConnection: () => tls({ socket, servername: '${BOUND}' }) },
            (answer) => { console.log(answer.statusCode); answer.resume(); answer.on('end', () => process.exit(0)); }).end();
        }).end();`;
    const text = await ran(process.execPath, '--input-type=module', '-e', script);
    expect(text).toContain('200');
    expect(sent('/node')).toBe(`Bearer ${SECRET}`);
  });

  it.skipIf(newest.missing !== undefined)('is put in for plain fetch of Node 24', async () => {
    const script = `console.log((await fetch('${url('/fetch')}', { headers: { authorization: 'Bearer ' + process.env.API_TOKEN } })).status)`;
    expect(await ran(newest.program, '--input-type=module', '-e', script)).toContain('200');
    expect(sent('/fetch')).toBe(`Bearer ${SECRET}`);
  });

  it.skipIf(!has('git'))('is put in for git, which logs in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sub-clone-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const text = await ran(
      'git',
      'clone',
      '-q',
      `https://me:\${API_TOKEN}@${BOUND}:${world.at}/repo.git`,
      join(folder, 'clone'),
    );
    expect(text).toContain('exit 0');
    expect(sent('/repo.git/info/refs')).toBe(`Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`);
  });

  it.skipIf(process.platform !== 'linux')(
    'is in no environment, and in nothing that is written',
    async () => {
      const { result } = await session.request('tools/call', { name: 'environ', arguments: {} });
      const environ = Object.fromEntries(
        textOf(result)
          .split('\0')
          .map((one) => [one.split('=', 1)[0] ?? '', one.slice(one.indexOf('=') + 1)]),
      );
      expect(environ['API_TOKEN']).toMatch(/^[A-Za-z0-9]{36}$/);
      for (const name of ['SSL_CERT_FILE', 'GIT_SSL_CAINFO', 'REQUESTS_CA_BUNDLE']) {
        const bundle = readFileSync(environ[name] ?? '', 'utf8');
        expect(bundle).toContain(world.authority.ca.trim());
      }
      expect(readFileSync(environ['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')).not.toContain(
        world.authority.ca.trim(),
      );
      const holding = readdirSync('/proc')
        .filter((pid) => /^[0-9]+$/.test(pid) && Number(pid) !== process.pid)
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/environ`, 'latin1').includes('real+secret');
          } catch {
            return false;
          }
        });
      expect(holding).toEqual([]);
      const { home } = world.gateway.paths;
      for (const entry of readdirSync(home, { withFileTypes: true, recursive: true })) {
        if (!entry.isFile()) continue;
        expect(readFileSync(join(entry.parentPath, entry.name), 'latin1')).not.toContain('real+secret');
      }
      const asked = world.gateway.rows('secret_injection').at(-1)?.data['secret'];
      expect(asked !== undefined && isJsonObject(asked) ? asked['inject'] : undefined).toBe('egress');
    },
  );

  // Last: what the run has open is cut.
  it.skipIf(!has('curl'))(
    'is put in after a restart of the gateway too, for the server that runs on',
    async () => {
      await world.gateway.restart();
      const argv = ['curl', '-sS', '-H', 'Authorization: Bearer ${API_TOKEN}', url('/restarted')];
      expect(await ran(...argv)).toContain('exit 0');
      expect(sent('/restarted')).toBe(`Bearer ${SECRET}`);
    },
  );
});

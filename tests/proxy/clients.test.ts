import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { after } from '../gateway/cleanups.js';
import { ALLOWED, https, proxyWorld, type ProxyWorld } from './world.js';

const DENIED = 'evil.example';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

interface Client {
  readonly world: ProxyWorld;
  readonly folder: string;
  readonly port: number;
  /** Runs a program that heeds the variables of a proxy, and gives all that it said. */
  readonly run: (program: string, args: readonly string[]) => Promise<string>;
}

async function client(): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'sub-client-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const world = await proxyWorld();
  publish(folder);
  const port = await https(world.authority, (request, response) => serve(folder, request, response));
  const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  const env = {
    ...Object.fromEntries(proxies.map((name) => [name, world.url])),
    PATH: process.env['PATH'],
    HOME: folder,
    SSL_CERT_FILE: world.authority.caFile,
    NODE_EXTRA_CA_CERTS: world.authority.caFile,
    GIT_SSL_CAINFO: world.authority.caFile,
    GIT_TERMINAL_PROMPT: '0',
    npm_config_cafile: world.authority.caFile,
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
  const run = (program: string, args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
      child.once('error', reject);
      child.once('close', (code) => resolve(`${text.trim()}\nexit ${code}`));
      after(() => void child.kill('SIGKILL'));
    });
  return { world, folder, port, run };
}

/** A repository of git and a package of npm, as files. */
function publish(folder: string): void {
  const site = join(folder, 'site');
  const work = join(folder, 'work');
  const tiny = join(folder, 'package');
  for (const one of [site, work, tiny]) mkdirSync(one);
  writeFileSync(join(work, 'a.txt'), 'cloned\n');
  writeFileSync(join(tiny, 'package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0' }));
  const me = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
  const git = (...args: string[]): void =>
    void execFileSync('git', [...me, ...args], { cwd: work, stdio: 'pipe' });
  if (has('git')) {
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'one');
    git('clone', '-q', '--bare', work, join(site, 'repo.git'));
    execFileSync('git', ['update-server-info'], { cwd: join(site, 'repo.git'), stdio: 'pipe' });
  }
  execFileSync('tar', ['czf', join(site, 'tiny.tgz'), '-C', folder, 'package'], { stdio: 'pipe' });
}

function serve(folder: string, { url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const path = new URL(url, 'https://x.example').pathname;
  if (path === '/') {
    response.end('hello');
  } else if (path === '/tiny') {
    const host = headers.host ?? String(headers[':authority']);
    const dist = { tarball: `https://${host}/tiny.tgz` };
    const versions = { '1.0.0': { name: 'tiny', version: '1.0.0', dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions }));
  } else {
    const file = join(folder, 'site', path);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile) response.statusCode = 404;
    response.end(isFile ? readFileSync(file) : '');
  }
}

describe('programs that heed the variables of a proxy', () => {
  it.skipIf(!has('curl'))('curl gets what is allowed, and reads why something is not', async () => {
    const { port, run, world } = await client();
    const curl = (...args: string[]): Promise<string> =>
      run('curl', ['-sS', '--cacert', world.authority.caFile, ...args]);
    expect(await curl(`https://${ALLOWED}:${port}/`)).toBe('hello\nexit 0');
    expect(await curl('--http2', '-w', ' %{http_version}', `https://${ALLOWED}:${port}/`)).toBe(
      'hello 2\nexit 0',
    );
    expect(await curl('-v', `https://${DENIED}:${port}/`)).toMatch(/403 not_allowed[^]*exit 56$/);
    expect(await curl(`http://${DENIED}:${port}/`)).toContain(
      `\`${DENIED}:${port}\` is not on the allowlist`,
    );
    const socks = world.url.replace('http:', 'socks5h:');
    expect(await curl('-x', socks, `https://${ALLOWED}:${port}/`)).toBe('hello\nexit 0');
    expect(await curl('-x', socks, `https://${DENIED}:${port}/`)).toMatch(/exit 97$/);
  });

  it('undici gets what is allowed, and says that something is not', async () => {
    const { port, run, world } = await client();
    const undici = `${ROOT}node_modules/undici/index.js`;
    const script = (host: string): string =>
      `const { ProxyAgent, fetch } = require(${JSON.stringify(undici)});
       const dispatcher = new ProxyAgent(${JSON.stringify(world.url)});
       fetch('https://${host}:${port}/', { dispatcher }).then((r) => r.text()).then((text) => { console.log(text); process.exit(0); }, (e) => { console.log(require('node:util').inspect(e, { depth: 9 })); process.exit(1); });`;
    expect(await run(process.execPath, ['-e', script(ALLOWED)])).toBe('hello\nexit 0');
    expect(await run(process.execPath, ['-e', script(DENIED)])).toMatch(/403[^]*exit 1$/);
  });

  it.skipIf(!has('python3'))('Python gets what is allowed, and reads why something is not', async () => {
    const { port, run } = await client();
    const python = (host: string): Promise<string> =>
      run('python3', [
        '-c',
        `import urllib.request; print(urllib.request.urlopen('https://${host}:${port}/').read().decode())`,
      ]);
    expect(await python(ALLOWED)).toBe('hello\nexit 0');
    expect(await python(DENIED)).toMatch(/Tunnel connection failed: 403 not_allowed[^]*exit 1$/);
  });

  it.skipIf(!has('git'))('git clones what is allowed, and reads why something is not', async () => {
    const { port, run, folder } = await client();
    const git = (host: string): Promise<string> =>
      run('git', ['clone', '-q', `https://${host}:${port}/repo.git`, host]);
    expect(await git(ALLOWED)).toBe('\nexit 0');
    expect(readFileSync(join(folder, ALLOWED, 'a.txt'), 'utf8')).toBe('cloned\n');
    expect(await git(DENIED)).toMatch(/403[^]*exit 128$/);
  });

  it.skipIf(!has('npm'))('npm installs from what is allowed, and says that something is not', async () => {
    const { port, run, folder } = await client();
    const npm = (host: string): Promise<string> =>
      run('npm', [
        'install',
        '--no-audit',
        '--no-fund',
        '--prefix',
        join(folder, host),
        '--registry',
        `https://${host}:${port}/`,
        'tiny',
      ]);
    expect(await npm(ALLOWED)).toMatch(/added 1 package[^]*exit 0$/);
    expect(readFileSync(join(folder, ALLOWED, 'node_modules/tiny/package.json'), 'utf8')).toContain('1.0.0');
    expect(await npm(DENIED)).toMatch(/403[^]*exit 1$/);
  });
});

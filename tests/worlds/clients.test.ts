import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** A client that heeds no proxy, or is given none, and the program that it is. */
interface Client {
  readonly name: string;
  readonly program: string;
  readonly script: (ports: Ports) => string;
  /** The server has to have heard this. */
  readonly heard: RegExp;
}

interface Ports {
  readonly http: number;
  readonly ssh: number;
  readonly sql: number;
  readonly git: number;
}

const CLIENTS: readonly Client[] = [
  {
    name: 'curl',
    program: '/usr/bin/curl',
    script: ({ http }) => `curl -sm9 http://http.test:${http}/curl`,
    heard: /^http GET http\.test:\d+ \/curl$/m,
  },
  {
    name: 'the fetch of Node',
    program: process.execPath,
    script: ({ http }) =>
      `node -e 'fetch("http://http.test:${http}/fetch").then((r) => r.text()).then(console.log)'`,
    heard: /^http GET http\.test:\d+ \/fetch$/m,
  },
  {
    name: 'urllib of Python',
    program: '/usr/bin/python3',
    script: ({ http }) =>
      `/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("http://http.test:${http}/urllib").read())'`,
    heard: /^http GET http\.test:\d+ \/urllib$/m,
  },
  {
    name: 'npm',
    program: '/usr/bin/npm',
    script: ({ http }) =>
      `npm view a-package version --registry http://http.test:${http}/npm/ --fetch-retries 0`,
    heard: /^http GET http\.test:\d+ \/npm\/a-package$/m,
  },
  {
    name: 'pip',
    program: '/usr/bin/pip3',
    script: ({ http }) =>
      `/usr/bin/pip3 download --retries 0 --no-deps --trusted-host http.test --index-url http://http.test:${http}/pip/ a-package`,
    heard: /^http GET http\.test:\d+ \/pip\/a-package\/$/m,
  },
  {
    name: 'git over HTTP',
    program: '/usr/bin/git',
    script: ({ http }) => `git ls-remote http://http.test:${http}/repository`,
    heard: /^http GET http\.test:\d+ \/repository\/info\/refs/m,
  },
  {
    name: 'git by its own protocol',
    program: '/usr/bin/git',
    script: ({ git }) => `git clone -q git://git.test:${git}/repository cloned && cat cloned/file`,
    heard: /(?:)/,
  },
  {
    name: 'ssh',
    program: '/usr/bin/ssh',
    script: ({ ssh }) => `ssh -o BatchMode=yes -o StrictHostKeyChecking=no -p ${ssh} ssh.test true`,
    heard: /^ssh SSH-2\.0-/m,
  },
  {
    name: 'psql',
    program: '/usr/bin/psql',
    script: ({ sql }) =>
      `psql "postgresql://someone@sql.test:${sql}/shop?sslmode=disable&connect_timeout=5" -c 'select 1'`,
    heard: /^sql [\s\S]*someone/m,
  },
];

describe.skipIf(why !== undefined)(`a world${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let stage: Stage;
    let servers: readonly (HttpServer | Server)[];
    let said: ReadonlyMap<string, string>;
    let gitDaemon: ReturnType<typeof startGit>;
    const heard: string[] = [];

    beforeAll(async () => {
      const http = createHttp((request, response) => {
        heard.push(`http ${request.method} ${request.headers.host} ${request.url}`);
        response.writeHead(request.url?.startsWith('/npm') === true ? 404 : 200).end('the answer');
      });
      const ssh = createServer((socket) => {
        socket.on('error', () => undefined).write('SSH-2.0-test\r\n');
        socket.once('data', (data) => {
          heard.push(`ssh ${data.toString('latin1').slice(0, 30)}`);
          socket.end();
        });
      });
      const sql = createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', (data) => {
            heard.push(`sql ${data.toString('latin1').replaceAll('\0', ' ')}`);
            socket.end();
          });
      });
      servers = [http, ssh, sql];
      const open = await Promise.all(servers.map((server) => listen(server)));
      stage = new Stage(uid);
      gitDaemon = startGit(stage.root);
      const ports = { http: open[0] ?? 0, ssh: open[1] ?? 0, sql: open[2] ?? 0, git: await gitDaemon.port };
      await stage.start({
        'http.test': [{ port: ports.http }],
        'ssh.test': [{ port: ports.ssh, protocol: 'tcp' }],
        'sql.test': [{ port: ports.sql, protocol: 'tcp' }],
        'git.test': [{ port: ports.git, protocol: 'tcp' }],
      });
      const script = CLIENTS.map(({ script: one }, at) => `printf "\\n=== ${at}\\n"; ( ${one(ports)} ) 2>&1`);
      const refused = `printf "\\n=== refused\\n"; curl -sm9 http://http.test:1/; node -e 'fetch("http://1.2.3.4/").then((r) => r.text()).then(console.log)'`;
      const { stdout } = await stage.inWorld([...script, refused].join('\n'));
      const parts = stdout.split(/^=== (\d+|refused)\n/m).slice(1);
      said = new Map(parts.flatMap((key, at) => (at % 2 === 0 ? [[key, parts[at + 1] ?? '']] : [])));
    });
    afterAll(async () => {
      gitDaemon.stop();
      await stage.remove();
      for (const server of servers) server.close();
    });

    it.each(CLIENTS.map((client, at) => [client.name, client, at] as const))(
      '%s reaches a server by its name',
      (_name, { program, heard: what }, at) => {
        if (!existsSync(program)) return;
        expect({ said: said.get(String(at)), heard: heard.join('\n') }).toMatchObject({
          heard: expect.stringMatching(what) as string,
        });
      },
    );

    it('git gets what it asked for', () => {
      expect(said.get('6')).toContain('kept by git');
    });

    it('a refusal is a sentence for whoever speaks HTTP', () => {
      expect(said.get('refused')).toMatch(
        /`http\.test:1` is not on the allowlist[\s\S]*`1\.2\.3\.4(?::80)?` is not on the allowlist/,
      );
    });

    it('the record has each connection with its name, and that it came out of a world', () => {
      const named = stage.rows().flatMap(({ type, data }) => {
        const { facts } = data as { facts?: { host?: string; via?: string } };
        return type === 'action_pending' && facts?.via === 'world' ? [facts.host] : [];
      });
      expect(new Set(named)).toEqual(new Set(['git.test', 'http.test', 'sql.test', 'ssh.test']));
    });
  });
});

async function listen(server: HttpServer | Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Serves a repository by git itself. */
function startGit(root: string): { readonly port: Promise<number>; readonly stop: () => void } {
  const base = join(root, 'git');
  const repository = join(base, 'repository');
  mkdirSync(repository, { recursive: true });
  writeFileSync(join(repository, 'file'), 'kept by git\n');
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.test', ...args], {
      cwd: repository,
      stdio: 'pipe',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  const server = createServer((socket) => {
    const child = spawn(
      'git',
      ['-c', 'safe.directory=*', 'daemon', '--inetd', '--export-all', `--base-path=${base}`],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    socket.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
  });
  return { port: listen(server), stop: () => void server.close() };
}

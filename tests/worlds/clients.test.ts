import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fetchPin, PINS } from '../real/fetch.mjs';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** A client that heeds no proxy, or is given none, and the program that it is. */
interface Client {
  readonly name: string;
  readonly program: string;
  readonly script: (ports: Ports) => string;
  /** The server has to have heard this. */
  readonly heard?: RegExp;
  /** It has to have said this. */
  readonly gets?: string;
}

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly ssh: number;
  readonly sshd: number;
  readonly sql: number;
  readonly git: number;
}

const SSHD = '/usr/sbin/sshd';
const isRoot = process.getuid?.() === 0;
/** A Node that this machine does not have; it is copied to where every user finds it. */
const node24 = why === undefined ? fetchPin(PINS.node24) : { missing: why };

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
    name: 'the fetch of Node 24',
    program: 'program' in node24 ? node24.program : '/no/node24',
    script: ({ http }) =>
      `./node24 -e 'fetch("http://http.test:${http}/fetch24").then((r) => r.text()).then(console.log)'`,
    heard: /^http GET http\.test:\d+ \/fetch24$/m,
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
    gets: 'kept by git',
  },
  {
    name: 'git over HTTPS',
    program: '/usr/bin/git',
    script: ({ https }) =>
      `GIT_SSL_CAINFO=$PWD/cert.pem git clone -q https://https.test:${https}/repository secured && cat secured/file`,
    gets: 'kept by git',
  },
  {
    // Root alone may start a server that lets somebody in.
    name: 'git over SSH',
    program: isRoot ? SSHD : '/no/sshd',
    script: ({ sshd }) =>
      `GIT_SSH_COMMAND="ssh -i $PWD/key -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no -p ${sshd}" git clone -q root@sshd.test:"$PWD/../git/repository" shelled && cat shelled/file`,
    gets: 'kept by git',
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

/** They take seconds to start, and are seldom installed. */
const SLOW: readonly Client[] = [
  {
    name: 'net/http of Go',
    program: '/usr/bin/go',
    script: ({ http }) =>
      `printf 'package main\nimport "net/http"\nfunc main() { http.Get("http://http.test:${http}/go") }\n' > main.go; GOCACHE=/tmp/go GO111MODULE=off go run main.go`,
    heard: /^http GET http\.test:\d+ \/go$/m,
  },
  {
    name: 'HttpClient of Java',
    program: '/usr/bin/javac',
    script: ({ http }) =>
      `printf 'import java.net.*; import java.net.http.*; class Get { public static void main(String[] a) throws Exception { HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://http.test:${http}/java")).build(), HttpResponse.BodyHandlers.ofString()); } }' > Get.java; java Get.java`,
    heard: /^http GET http\.test:\d+ \/java$/m,
  },
  {
    name: 'cargo',
    program: '/usr/bin/cargo',
    script: ({ http }) =>
      `mkdir -p crate/src crate/.cargo; cd crate; : > src/lib.rs; printf '[package]\nname = "x"\nversion = "0.1.0"\n[dependencies]\na-crate = { version = "1", registry = "test" }\n' > Cargo.toml; printf '[registries.test]\nindex = "http://http.test:${http}/cargo"\n' > .cargo/config.toml; CARGO_HOME=/tmp/cargo /usr/bin/cargo fetch`,
    heard: /^http GET http\.test:\d+ \/cargo\/info\/refs/m,
  },
];
const ALL = process.env['SUB_LONG'] === undefined ? CLIENTS : [...CLIENTS, ...SLOW];

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
      stage = new Stage(uid);
      gitDaemon = startGit(stage.root);
      const secure = secureGit(stage);
      const sshd = sshServer(stage);
      servers = [http, ssh, sql, secure, sshd];
      const open = await Promise.all(servers.map((server) => listen(server)));
      const ports = {
        http: open[0] ?? 0,
        ssh: open[1] ?? 0,
        sql: open[2] ?? 0,
        https: open[3] ?? 0,
        sshd: open[4] ?? 0,
        git: await gitDaemon.port,
      };
      if ('program' in node24) copyFileSync(node24.program, join(stage.project, 'node24'));
      await stage.start({
        'http.test': [{ port: ports.http }],
        'https.test': [{ port: ports.https }],
        'sshd.test': [{ port: ports.sshd, protocol: 'tcp' }],
        'ssh.test': [{ port: ports.ssh, protocol: 'tcp' }],
        'sql.test': [{ port: ports.sql, protocol: 'tcp' }],
        'git.test': [{ port: ports.git, protocol: 'tcp' }],
      });
      const script = ALL.map(({ script: one }, at) => `printf "\\n=== ${at}\\n"; ( ${one(ports)} ) 2>&1`);
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

    const cases = ALL.map((client, at) => {
      const isHere = existsSync(client.program);
      return [isHere ? client.name : `${client.name} (not here)`, client, at, isHere] as const;
    });
    it.each(cases)('%s reaches a server by its name', (_name, { heard: what, gets }, at, isHere) => {
      const found = { said: said.get(String(at)) ?? '', heard: heard.join('\n') };
      if (isHere) {
        expect(found.heard).toMatch(what ?? /(?:)/);
        expect(found.said).toContain(gets ?? '');
      }
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
      const names = ['git.test', 'http.test', 'https.test', 'sql.test', 'ssh.test'];
      const withShell = isRoot && existsSync(SSHD) ? [...names, 'sshd.test'] : names;
      expect(new Set(named)).toEqual(new Set(withShell));
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

/** Serves the same repository over HTTPS, by git's own program. The certificate is in the project. */
function secureGit(stage: Stage): Server {
  const [key, cert] = ['tls.key', 'cert.pem'].map((name) => join(stage.project, name));
  const names = ['-subj', '/CN=https.test', '-addext', 'subjectAltName=DNS:https.test'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const made = ['req', '-x509', ...curve, '-keyout', key ?? '', '-out', cert ?? '', ...names];
  execFileSync('openssl', made, { stdio: 'pipe' });
  chmodSync(cert ?? '', 0o644);
  const tls = { key: readFileSync(key ?? ''), cert: readFileSync(cert ?? '') };
  return createHttps(tls, (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'https://https.test');
    const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: join(stage.root, 'git'),
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      for (const line of all.subarray(0, end).toString('latin1').split('\r\n')) {
        const at = line.indexOf(':');
        if (!line.startsWith('Status:')) response.setHeader(line.slice(0, at), line.slice(at + 1).trim());
      }
      response.end(all.subarray(end + 4));
    });
  });
}

/** Serves a shell to whoever has the key in the project, if root starts it. */
function sshServer(stage: Stage): Server {
  const folder = join(stage.root, 'sshd');
  mkdirSync(folder, { mode: 0o700 });
  const at = (name: string): string => join(folder, name);
  if (isRoot && existsSync(SSHD)) {
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    for (const file of [at('host'), join(stage.project, 'key')])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    stage.give('key');
    const lines = [
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${join(stage.project, 'key.pub')}`,
      'PermitRootLogin prohibit-password',
      'StrictModes no',
      'UsePAM no',
      'PidFile none',
    ];
    writeFileSync(at('config'), `${lines.join('\n')}\n`);
  }
  return createServer((socket) => {
    const child = spawn(SSHD, ['-i', '-f', at('config')], { stdio: ['pipe', 'pipe', 'ignore'] });
    socket.on('error', () => undefined);
    child.on('error', () => socket.destroy());
    child.stdin.on('error', () => undefined);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
  });
}

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { type Finished } from '../harness/sub.js';
import { whyNoWorlds } from '../worlds/kit/stage.js';

const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

interface Routed {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly url: string;
  readonly headers: Record<string, string>;
}

let at: TestHome;
let user: string;
let upstream: Server;
const seen: string[] = [];

beforeAll(async () => {
  at = createHome();
  user = join(at.root, 'user é');
  mkdirSync(join(user, 'project'), { recursive: true });
  upstream = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''} ${String(request.headers['x-own'])}`);
    expect(Object.keys(request.headers).filter((name) => name.startsWith('subluminal'))).toEqual([]);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      const outcome =
        method === 'initialize' || method === 'tools/call' ? { result: RESULTS[method] } : REFUSED;
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  });
  await new Promise<void>((done) => void upstream.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  upstream.close();
  upstream.closeAllConnections();
  await at.remove();
});

const RESULTS = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'upstream', version: '1' },
  },
  'tools/call': { content: [{ type: 'text', text: 'over http' }] },
};
const REFUSED = { error: { code: -32601, message: 'no such method' } };

function sub(...args: readonly string[]): Promise<Finished> {
  return runSub([...args, '--home', at.home], {
    cwd: join(user, 'project'),
    env: { PATH: process.env['PATH'], HOME: user },
  });
}

function port(): number {
  const address = upstream.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function configured(): string {
  return JSON.stringify(
    {
      numStartups: 7,
      mcpServers: {
        echo: {
          type: 'stdio',
          command: process.execPath,
          args: [ECHO],
          env: { ECHO_LOG: join(at.root, 'echo.log') },
        },
        web: { type: 'http', url: `http://127.0.0.1:${port()}/mcp?v=1`, headers: { 'X-Own': 'kept' } },
        old: { type: 'sse', url: 'https://h.example/sse' },
      },
    },
    null,
    2,
  );
}

describe('sub import claude', () => {
  const claude = (): string => join(user, '.claude.json');
  const routed = (name: string): Routed =>
    (JSON.parse(readFileSync(claude(), 'utf8')) as { mcpServers: Record<string, Routed> }).mcpServers[
      name
    ] as Routed;

  it('without a client says which there are', async () => {
    const { code, stderr } = await sub('import');
    expect(code).toBe(2);
    expect(stderr).toMatch(/which client\?[^]*`claude`, `codex`.*`all`/);
  });

  it('shows with --dry-run what would change, without secrets, and changes nothing', async () => {
    const text = configured().replace('kept', 'a-secret-of-mine');
    writeFileSync(claude(), text, { mode: 0o600 });
    const { code, stdout } = await sub('import', 'claude', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('2 servers would be routed; nothing was changed');
    expect(stdout).toContain('"--server", "echo"');
    expect(stdout).toContain('"--pass", "ECHO_LOG"');
    expect(stdout).toContain('"url": "http://127.0.0.1:PORT/mcp/web"');
    expect(stdout).not.toContain('127.0.0.1:0');
    expect(stdout).toContain(`\`127.0.0.1:${port()}\` would come onto the allowlist, for \`web\``);
    expect(stdout).not.toContain('a-secret-of-mine');
    expect(readFileSync(claude(), 'utf8')).toBe(text);
    expect(readdirSync(at.home)).toEqual(['config.toml']);
  });

  it('routes what can be, names the rest, and says how to take it back', async () => {
    writeFileSync(claude(), configured(), { mode: 0o600 });
    const { code, stdout, stderr } = await sub('import', 'claude');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('echo  routed');
    expect(stdout).toContain('web   routed');
    expect(stdout).toContain('old   left as it is: it speaks the HTTP+SSE transport of 2024');
    expect(stdout).toContain(`\`127.0.0.1:${port()}\` is on the allowlist now, for \`web\``);
    expect(stdout).toContain('`sub restore claude` takes it back');
  });

  it('changes nothing the second time', async () => {
    const before = readFileSync(claude());
    const { code, stdout } = await sub('import', 'claude', '--json');
    expect(code).toBe(0);
    const [{ files }] = [
      JSON.parse(stdout) as { files: { changed: boolean; servers: { becomes: string }[] }[] },
    ];
    expect(files[0]?.changed).toBe(false);
    expect(files[0]?.servers.map(({ becomes }) => becomes)).toEqual(['already', 'already', 'left']);
    expect(readFileSync(claude()).equals(before)).toBe(true);
  });

  it('makes entries that start their servers behind the gateway, of both kinds, in one run', async () => {
    const { command, args, env } = routed('echo');
    const { url, headers } = routed('web');
    const overStdio = new Client({ name: 'test', version: '1' });
    await overStdio.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
    const overHttp = new Client({ name: 'test', version: '1' });
    // As the client does it: no run has given it a token.
    const token = headers['Subluminal-Token']?.replace(/^\$\{SUB_HTTP_TOKEN:-(.*)\}$/, '$1') ?? '';
    await overHttp.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { ...headers, 'Subluminal-Token': token } },
      }),
    );
    try {
      await overStdio.callTool({ name: 'echo', arguments: { said: 'hello' } });
      expect(readFileSync(join(at.root, 'echo.log'), 'utf8')).toBe('echo {"said":"hello"}\n');
      const answer = await overHttp.callTool({ name: 'look', arguments: {} });
      expect(answer.content).toEqual([{ type: 'text', text: 'over http' }]);
      expect(seen).toContain('POST /mcp?v=1 kept');
    } finally {
      await overStdio.close();
      await overHttp.close();
    }
    const { stdout } = await sub('query', '--json');
    const calls = stdout
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { kind: string; server_name: string; tool_name: string; run_id: string },
      );
    const made = calls.filter(({ kind, tool_name: tool }) => kind === 'call' && !tool.startsWith('mcp:'));
    expect(made.map(({ server_name: server, tool_name: tool }) => `${server} ${tool}`).toSorted()).toEqual([
      'echo echo',
      'web look',
    ]);
    expect(new Set(made.map(({ run_id: run }) => run)).size).toBe(1);
  });

  it('is refused inside a run, as restore and uninstall are', async () => {
    // The calls above left a ticket for this process: it is the agent now.
    const before = readFileSync(claude());
    for (const verb of [
      ['import', 'claude'],
      ['restore', 'claude'],
      ['uninstall', '--yes'],
    ]) {
      const { code, stderr } = await sub(...verb);
      expect([code, stderr]).toEqual([3, expect.stringContaining('error[inside_run]')]);
    }
    expect(readFileSync(claude()).equals(before)).toBe(true);
  });
});

describe('sub restore and sub uninstall', () => {
  let other: TestHome;
  const own = (...args: readonly string[]): Promise<Finished> =>
    runSub([...args, '--home', other.home], {
      cwd: join(user, 'project'),
      env: { PATH: process.env['PATH'], HOME: join(other.root, 'user') },
    });
  const text = '{ // mine\n  "mcpServers": {"a": {"command": "x", "env": {"K": "v"}}}\n}\n';
  beforeAll(() => {
    other = createHome();
    for (const folder of ['.cursor', '.gemini'])
      mkdirSync(join(other.root, 'user', folder), { recursive: true });
    writeFileSync(join(other.root, 'user', '.cursor', 'mcp.json'), text);
  });
  afterAll(() => other.remove());

  it('go on beside a file that is broken, name it with its place, and fail', async () => {
    const broken = join(other.root, 'user', '.gemini', 'settings.json');
    writeFileSync(broken, '{"mcpServers": {"a": {"command": "x"},}}');
    const { code, stdout } = await own('import', 'all');
    expect(code).toBe(1);
    expect(stdout).toContain('line 1, column 39: a key must be a text in double quotes');
    expect(stdout).toContain('1 server routed');
    expect(readFileSync(broken, 'utf8')).toBe('{"mcpServers": {"a": {"command": "x"},}}');
    const cursor = join(other.root, 'user', '.cursor', 'mcp.json');
    expect(readFileSync(cursor, 'utf8')).toContain('"--pass", "K", "--", "x"]');

    const missing = await own('import', 'cursor', '--server', 'nobody');
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('no server is named `nobody`'),
    ]);

    // A home whose servers cannot be given back stays.
    const routed = readFileSync(cursor, 'utf8');
    writeFileSync(cursor, `${routed},`);
    const kept = await own('uninstall', '--yes');
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('the home stays')]);
    expect(kept.stdout).toContain('there is text after the value');
    expect(readFileSync(cursor, 'utf8')).toBe(`${routed},`);
    writeFileSync(cursor, routed);
    expect((await own('restore', 'all')).stdout).toContain('byte for byte as it was');
    expect(readFileSync(cursor, 'utf8')).toBe(text);
  });

  it('ask before files of a project are changed', async () => {
    const shared = join(user, 'project', '.cursor', 'mcp.json');
    mkdirSync(join(user, 'project', '.cursor'));
    writeFileSync(shared, text);
    const { code, stderr } = await own('import', 'cursor', '--scope', 'project');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('change 1 file that others of the project share?'),
    ]);
    expect(readFileSync(shared, 'utf8')).toBe(text);
    const elsewhere = join(other.root, 'elsewhere.json');
    renameSync(shared, elsewhere);
    symlinkSync(elsewhere, shared);
    expect((await own('import', 'cursor', '--scope', 'project')).stderr).toContain(
      `would change \`${shared}\`, which leads to \`${elsewhere}\``,
    );
    renameSync(elsewhere, shared);
    expect((await own('import', 'cursor', '--scope', 'project', '--yes')).code).toBe(0);
    expect(readFileSync(shared, 'utf8')).toContain('shim');
  });

  it('leave nothing behind but the record, which is still proven', async () => {
    await own('up');
    const spool = join('run', 'away', '01JB0000000000000000000000', `${'a'.repeat(22)}.1-1`);
    mkdirSync(join(other.home, spool, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(join(other.home, spool), 'what a shim did alone', { mode: 0o600 });
    const { code, stdout } = await own('uninstall', '--yes');
    expect(stdout).toContain('byte for byte as it was');
    expect(stdout).toContain('the gateway has stopped');
    expect(code).toBe(0);
    expect(readFileSync(join(user, 'project', '.cursor', 'mcp.json'), 'utf8')).toBe(text);
    expect(existsSync(other.home)).toBe(false);
    const [kept = ''] = readdirSync(other.root).filter((name) => name.startsWith('subluminal-record-'));
    const record = join(other.root, kept);
    expect(stdout).toContain(`moves to \`${record}\`: config.toml, ledger.db, `);
    expect(stdout).toContain('removes, with the accounts, secrets and allowlist in it: gateway.db, ');
    expect(stdout).toContain(`leaves the memory of the ledger: ${other.headsLog}`);
    expect(readdirSync(record)).toEqual(['config.toml', 'keys', 'ledger.db', 'run', 'state-home']);
    expect(readFileSync(join(record, spool), 'utf8')).toBe('what a shim did alone');
    expect(readdirSync(join(record, 'keys'))).toEqual(['seal']);
    expect((await runSub(['audit', 'verify', '--home', record])).code).toBe(0);

    mkdirSync(other.home, { mode: 0o700 });
    const memory = `heads_log = ${JSON.stringify(join(other.root, 'memory', 'second.log'))}\n`;
    writeFileSync(join(other.home, 'config.toml'), memory, { mode: 0o600 });
    expect((await own('up')).code).toBe(0);
    expect((await own('uninstall', '--yes', '--delete-ledger')).code).toBe(0);
    expect(existsSync(other.home)).toBe(false);
    expect((await runSub(['audit', 'verify', '--home', record])).code).toBe(0);
  });

  it('empty no folder that is no home, whatever its folders are named', async () => {
    const folder = join(other.root, 'data');
    for (const name of ['imports', 'logs', 'keys', 'run']) {
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, name, 'mine.csv'), 'mine');
    }
    chmodSync(folder, 0o700);
    const { code, stderr } = await runSub(['uninstall', '--yes', '--home', folder], {
      env: { PATH: process.env['PATH'], HOME: join(other.root, 'user') },
    });
    expect([code, stderr]).toEqual([5, expect.stringContaining('is no home of `sub`')]);
    for (const name of ['imports', 'logs', 'keys', 'run'])
      expect(readFileSync(join(folder, name, 'mine.csv'), 'utf8')).toBe('mine');

    const empty = join(other.root, 'empty');
    mkdirSync(empty, { mode: 0o700 });
    const link = join(other.root, 'link');
    symlinkSync(folder, link);
    const env = { PATH: process.env['PATH'], HOME: join(other.root, 'user') };
    const refused = [
      [empty, 5, 'is no home of `sub`'],
      [link, 1, `is a link to \`${folder}\``],
    ] as const;
    for (const [path, exit, why] of refused) {
      const end = await runSub(['uninstall', '--yes', '--home', path], { env });
      expect([end.code, end.stderr]).toEqual([exit, expect.stringContaining(why)]);
    }
    expect([existsSync(empty), readdirSync(folder)]).toEqual([true, ['imports', 'keys', 'logs', 'run']]);
  });
});

describe('sub import --world', () => {
  it('has the servers that are programs live in worlds, and no other', async () => {
    const own = createHome();
    const person = join(own.root, 'person');
    mkdirSync(person);
    writeFileSync(join(person, '.claude.json'), configured());
    const config = join(own.home, 'config.toml');
    const run = (...args: readonly string[]): Promise<Finished> =>
      runSub(['import', 'claude', '--world', '--without-hooks', ...args, '--home', own.home], {
        cwd: person,
        env: { PATH: process.env['PATH'], HOME: person },
      });
    try {
      const dry = await run('--dry-run');
      if (whyNoWorlds() !== undefined) {
        expect([dry.code, dry.stderr]).toEqual([2, expect.stringContaining('makes no worlds')]);
        return;
      }
      expect([dry.code, dry.stdout]).toEqual([
        0,
        expect.stringContaining('1 server would live in a world: echo'),
      ]);
      expect(readFileSync(config, 'utf8')).not.toContain('servers.echo');
      const done = await run();
      expect(done.stdout).toContain('`sub world profile SERVER` has one reach what it reached');
      expect(readFileSync(config, 'utf8')).toMatch(/^\[servers\.echo\]\nworld = true$/m);
      expect(readFileSync(config, 'utf8')).not.toContain('servers.web');
      const again = await run('--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ client: 'claude', worlds: ['echo'] });
    } finally {
      await own.remove();
    }
  });
});

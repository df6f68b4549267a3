import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import type { Finished } from '../harness/sub.js';

const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

const CODEX = `# mine
model = "gpt-5"

[mcp_servers.notes] # kept
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(ECHO)}, "a  b"]
`;
const CLAUDE = `{
  "theme": "dark",
  "mcpServers": { "files": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(ECHO)}] } }
}
`;

let at: TestHome;
let user: string;
const files = (): Record<'codex' | 'claude', string> => ({
  codex: join(user, '.codex', 'config.toml'),
  claude: join(user, '.claude.json'),
});
const sub = (...args: string[]): Promise<Finished> =>
  runSub([...args, '--home', at.home], {
    env: { PATH: process.env['PATH'], HOME: user },
    cwd: join(user, 'project'),
  });

beforeAll(async () => {
  at = createHome();
  user = join(at.root, 'user');
  mkdirSync(join(user, 'project'), { recursive: true });
  for (const [path, text] of [
    [files().codex, CODEX],
    [files().claude, CLAUDE],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(await sub('up')).toMatchObject({ code: 0 });
});
afterAll(() => at.remove());

/** Where each file holds the command and arguments of its one server, in this order of its strings. */
const argvIn = (text: string, from: string): string[] =>
  [...text.slice(text.indexOf(from)).matchAll(/"(?:[^"\\]|\\.)*"/gu)].map(
    ([literal]) => JSON.parse(literal) as string,
  );

describe.each([
  ['codex', CODEX, '[mcp_servers.notes]', 'notes'],
  ['claude', CLAUDE, '"command"', 'files'],
] as const)('the servers of %s', (client, before, from, server) => {
  it('are routed by import, which keeps a copy and their names, and says how to take it back', async () => {
    const { code, stdout } = await sub('import', client);
    expect(code).toBe(0);
    expect(stdout).toContain(server);
    expect(stdout).toMatch(new RegExp(`sub restore(?: ${client})?`, 'u'));
    const after = readFileSync(files()[client], 'utf8');
    expect(after).toContain(from);
    expect(argvIn(after, from)).toEqual(
      expect.arrayContaining(['shim', 'stdio', '--server', server, '--', ECHO]),
    );
    const copies = readdirSync(join(at.home, 'imports'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(copies).toContain(before);
  });

  it('are given back byte for byte by restore', async () => {
    expect(await sub('restore', client)).toMatchObject({ code: 0 });
    expect(readFileSync(files()[client], 'utf8')).toBe(before);
  });
});

it('the version is told, and a home that is in order passes `sub doctor`', async () => {
  expect(await sub('version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+\.\d+\.\d+/) });
  expect(await sub('doctor')).toMatchObject({ code: 0 });
});

it('the verbs are those of `sub`, and none says gateway', async () => {
  const { stdout } = await runSub(['help', 'all']);
  const verbs = [...stdout.matchAll(/^ {2,4}(?:sub )?([a-z]+)/gmu)].map(([, verb]) => verb);
  expect(verbs).toEqual(
    expect.arrayContaining([
      'import',
      'restore',
      'run',
      'ledgerd',
      'tail',
      'query',
      'policy',
      'secrets',
      'export',
    ]),
  );
  expect(verbs).not.toContain('gateway');
});

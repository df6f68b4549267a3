import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { compilePolicy, decide, PolicyState } from '@subluminal/policy';
import { readCall } from '@subluminal/readings';
import { describe, expect, it } from 'vitest';

const WAYS = JSON.parse(readFileSync(new URL('ways-around.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;
const PLACE = { project: '/home/dev/shop', home: '/home/dev', tmp: '/tmp', cwd: ['/home/dev/shop'] };

const starter = (() => {
  const file = new URL('../../policies/developer-laptop.yaml', import.meta.url);
  const result = compilePolicy(readFileSync(file, 'utf8'), { filename: 'developer-laptop.yaml' });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
})();

/** The action of the starter on a call. */
function judged(server_name: string, tool_name: string, args: JsonObject): string {
  const readings = readCall({ server: server_name, tool: tool_name, args }, PLACE);
  const identity = { agent_id: 'a', client: 'custom', env: 'dev' } as const;
  const call = { server_name, tool_name, args, args_hash: 'a', identity, readings };
  return decide(starter, PolicyState.empty(), call, 1e12).decision.action;
}

const ofCommand = (command: string): string => judged('shell', 'run_command', { command });

describe('the starter of a laptop', () => {
  it.each(Object.entries(WAYS))('%s: no way around it is let through', (_rule, commands) => {
    expect(commands.filter((command) => ofCommand(command) === 'ALLOW')).toEqual([]);
  });

  it.each([
    ['fs', 'read_file', { uri: 'file:///home/dev/%2essh/id_rsa' }],
    ['fs', 'read_file', { url: ' file:\\\\/home/dev/.ssh/work' }],
    ['fs', 'read_file', { file_name: '/home/dev/.ssh/work' }],
    ['fs', 'read_file', { path: 'xx://../../.ssh/work' }],
    ['fs', 'read_file', { path: '*** Begin Patch/../../.ssh/work' }],
    ['fs', 'write_file', { path: '/home/dev/.bashrc', content: 'x' }],
    ['claude', 'Bash', { command: '*** Begin Patch\nrm -rf ~' }],
    ['shell', 'exec', { command: 'rm', args: ['-rf', '/home/dev'] }],
    ['shell', 'exec', { command: ['bash', '-ce', 'rm -rf ~'] }],
    ['shell', 'exec', { commands: ['ls', 'rm -rf ~'] }],
    ['claude', 'Grep', { pattern: 'PRIVATE', path: '/home/dev' }],
    ['pg', 'exec', { query: 'DROP TABLE t' }],
    ['neon', 'run', { params: { sqlStatements: ['DROP TABLE t'] } }],
    ['postgres', 'query', { sql: 'SELECT 5 # 3; DROP TABLE t' }],
    ['postgres', 'query', { sql: 'SELECT 1\nGO\nDROP TABLE t' }],
    ['postgres', 'query', { sql: "EXEC sp_executesql N'DROP TABLE t'" }],
    ['postgres', 'query', { sql: `DROP TABLE t;/*${'x'.repeat(70_000)}*/` }],
  ])('%s/%s %j is refused', (server, tool, args) => {
    expect(judged(server, tool, args as unknown as JsonObject)).not.toBe('ALLOW');
  });

  it.each([
    'cat src/a*',
    'cp dist/app* /tmp',
    'head README*',
    'tar czf /tmp/x.tgz src*',
    "sed -E 's/e (.*)/\\1/' a.txt",
    'grep -rn TODO .',
    'node -e "a.map(x=>(x+1))"',
    'git commit -m "use <(x) here"',
    'cat > a.js <<EOF\nconst f = x=>(x);\nEOF',
    'find . -name "*.log" -delete',
    'for f in a b c d e f g h; do cat $f; done',
    'PATH=$PWD/node_modules/.bin:$PATH vitest',
  ])('%s, as people work, passes', (command) => {
    expect(ofCommand(command)).toBe('ALLOW');
  });

  it('a page of nested blocks passes, and a secret at the bottom of one does not', () => {
    const page = (path: string): JsonObject => ({
      children: [{ block: { rich: [{ text: { link: { to: [{ path }] } } }] } }],
    });
    expect(judged('pages', 'create_page', page('docs/a.md'))).toBe('ALLOW');
    expect(judged('pages', 'create_page', page('/home/dev/.ssh/config'))).not.toBe('ALLOW');
  });

  // docs/policy.md says of each of these that no text shows it.
  it.each([
    'make -C ~ clean',
    'LD_PRELOAD=/tmp/x.so ls',
    'python3 script-that-deletes.py',
    'cat $(find ~ -name work)',
    'xargs rm -rf < /tmp/list',
    "perl -e 'unlink glob q(~/*)'",
  ])('%s does more than its text shows, and passes', (command) => {
    expect(ofCommand(command)).toBe('ALLOW');
  });
});

it.each([
  ['a variable that doubles itself', `x=abcdefgh;${'x=$x$x;'.repeat(300)}ls`],
  ['loops inside of loops', `${'for a in 1 2 3 4 5 6 7 8 9; do '.repeat(30)}x=1;${'done;'.repeat(30)}`],
  ['a folder that grows', `x=${'a/'.repeat(500)};${'cd $x;'.repeat(300)}`],
  ['functions that call the next one twice', `${functions(40)}f0`],
  [
    'items that are put into many places',
    `printf "${'a '.repeat(1500)}" | xargs -I% rm ${'% '.repeat(1500)}`,
  ],
])('%s is decided', (_name, command) => {
  expect(['ALLOW', 'BLOCK', 'REJECT_WITH_HINT']).toContain(ofCommand(command));
});

function functions(count: number): string {
  return Array.from({ length: count }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }; `).join('');
}

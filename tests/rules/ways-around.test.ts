import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { Starter } from './starter.js';

const WAYS = JSON.parse(readFileSync(new URL('ways-around.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;
const WORK = JSON.parse(
  readFileSync(new URL('as-people-work.json', import.meta.url), 'utf8'),
) as readonly string[];
const PLACE = { project: '/home/dev/shop', home: '/home/dev', tmp: '/tmp', cwd: ['/home/dev/shop'] };
const starter = new Starter('developer-laptop');

/** The action of the starter on a call. */
function judged(server: string, tool: string, args: JsonObject): string {
  return starter.decide({ server, tool, args }, PLACE).action;
}

const ofCommand = (command: string): string => judged('shell', 'run_command', { command });

describe.each(['ci-strict', 'production-read-only'])('the starter %s', (name) => {
  it.each(Object.entries(WAYS))('%s: no way around it is let through', (_rule, commands) => {
    const own = new Starter(name);
    const isLetThrough = (command: string): boolean =>
      own.decide({ server: 'shell', tool: 'run_command', args: { command } }, PLACE).action === 'ALLOW';
    expect(commands.filter(isLetThrough)).toEqual([]);
  });
});

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
    ['claude', 'Grep', { pattern: 'KEY', glob: '.env' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '**/.env*' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '*.env' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '*env' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '*.{ts,env}' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '{*.ts,.e?v}' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '*.ts, .env' }],
    ['gemini', 'search_file_content', { pattern: 'KEY', include: '.[e]nv' }],
    ['pg', 'exec', { query: 'DROP TABLE t' }],
    ['neon', 'run', { params: { sqlStatements: ['DROP TABLE t'] } }],
    ['postgres', 'query', { sql: 'SELECT 5 # 3; DROP TABLE t' }],
    ['postgres', 'query', { sql: 'SELECT 1\nGO\nDROP TABLE t' }],
    ['postgres', 'query', { sql: "EXEC sp_executesql N'DROP TABLE t'" }],
    ['fs', 'file', { action: 'write', path: '/home/dev/.bashrc' }],
    ['fs', 'file', { operation: 'delete_file', path: '/home/dev/x' }],
    ['fs', 'write_file', { path: '/home/dev/.bashrc', mode: 'read' }],
    ['claude', 'str_replace_based_edit_tool', { command: 'view', path: '/home/dev/.ssh/id_rsa' }],
    ['claude', 'str_replace_based_edit_tool', { command: 'create', path: '/home/dev/.bashrc' }],
    ['fs', 'read_file', { path: String.raw`C:\Users\dev\.ssh\id_rsa` }],
    ['fs', 'read_file', { path: 'C:/Users/dev/.ssh/id_rsa' }],
    ['fs', 'read_file', { path: String.raw`..\.ssh\id_rsa` }],
    ['fs', 'read_file', { path: String.raw`%USERPROFILE%\.ssh\config` }],
    ['fs', 'read_file', { path: String.raw`C:\p\.env::$DATA` }],
    ['fs', 'read_file', { path: String.raw`C:\p\.env. ` }],
    ['fs', 'write_file', { path: String.raw`C:\Windows\x` }],
    ['fs', 'write_file', { path: String.raw`\\server\share\x` }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'rm -rf ~\n' }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'rm -rf ~\r' }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'rm -rf ~\nfoo (' }],
    ['codex', 'write_stdin', { session_id: 1, chars: '\u0003rm -rf ~\r' }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'rx\u007fm -rf ~\r' }],
    ['codex', 'write_stdin', { session_id: 1, chars: '\u001b[200~rm -rf ~\u001b[201~\r' }],
    ['dc', 'interact_with_process', { pid: 1, input: 'rm -rf ~' }],
    ['claude', 'str_replace_based_edit_tool', { command: 'str_replace_all', path: '/home/dev/.bashrc' }],
    ['docker', 'run_container', { mounts: [{ source: '/home/dev/.ssh', target: '/s' }] }],
    ['s3', 'upload', { localPath: '/home/dev/.ssh/id_rsa', bucket: 'b' }],
    ['postgres', 'query', { sql: `DROP TABLE t;/*${'x'.repeat(70_000)}*/` }],
  ])('%s/%s %j is refused', (server, tool, args) => {
    expect(judged(server, tool, args as unknown as JsonObject)).not.toBe('ALLOW');
  });

  it('commands as people work pass', () => {
    expect(WORK.filter((command) => ofCommand(command) !== 'ALLOW')).toEqual([]);
  });

  it.each<readonly [string, string, JsonObject]>([
    ['claude', 'str_replace_based_edit_tool', { command: 'view', path: '/etc/hosts' }],
    ['fs', 'file', { action: 'read', path: 'a.ts' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '*.{ts,tsx,mts}' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '**/*' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '!.env' }],
    ['claude', 'Grep', { pattern: 'KEY', glob: '**/.env.example' }],
    ['api', 'list_items', { include: ['.env'] }],
    ['docker-exec', 'write_file', { path: '/app/x' }],
    ['ssh', 'write_file', { path: '/app/x' }],
    ['kubernetes', 'write', { path: '/app/x' }],
    ['s3', 'put_object', { bucket: 'b', path: '/backups/x' }],
    ['dropbox', 'upload', { path: '/Apps/x' }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'df.head(\n' }],
    ['codex', 'write_stdin', { session_id: 1, chars: "print('a')\n" }],
    ['dc', 'interact_with_process', { pid: 1, input: "x = open('a.csv').read()" }],
    ['codex', 'write_stdin', { session_id: 1, chars: 'for x in y:\n  pass\n' }],
  ])('%s/%s %j passes', (server, tool, args) => {
    expect(judged(server, tool, args)).toBe('ALLOW');
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
    'grep -r KEY .',
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

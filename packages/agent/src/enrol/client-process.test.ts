import { describe, expect, test } from 'vitest';
import { clientProcess, isTerminal, isWrapper } from './client-process.js';

describe('a wrapper', () => {
  test.each([
    [['sh', '-c', 'sub shim stdio']],
    [['/bin/bash', '-lc', 'sub shim stdio; true']],
    [['/bin/sh', '-e', '-c', 'x']],
    [['npm exec sub shim stdio']],
    [['npx sub shim']],
    [['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', '-y', 'x']],
    [['/usr/bin/node', '/usr/local/bin/npx', 'x']],
  ])('is %j', (argv) => {
    expect(isWrapper(argv)).toBe(true);
  });

  test.each([
    [['bash']],
    [['-bash']],
    [['/bin/zsh', '-i']],
    [['bash', 'script.sh']],
    [['claude']],
    [['node', '/opt/claude/cli.js']],
    [['node', '-e', 'x']],
    [['node', '/srv/npx-lookalike.js']],
    [[]],
  ])('is not %j', (argv) => {
    expect(isWrapper(argv)).toBe(false);
  });
});

describe('a terminal', () => {
  test.each([
    [['bash']],
    [['-bash']],
    [['-zsh']],
    [['/bin/zsh', '-i']],
    [['/usr/bin/fish', '--login']],
    [['bash', '--init-file', '/opt/code/shellIntegration-bash.sh', '-O', 'extglob']],
  ])('is %j', (argv) => {
    expect(isTerminal(argv)).toBe(true);
  });

  test.each([
    [['bash', 'script.sh']],
    [['bash', '-e', 'script.sh', '-i']],
    [['sh', '-c', 'x']],
    [['bash', '-s', '--', 'x']],
    [['claude']],
    [[]],
  ])('is not %j', (argv) => {
    expect(isTerminal(argv)).toBe(false);
  });
});

describe('the client', () => {
  const table = (...lines: string[][]) => ({
    joins: { pid: 200, start: '1' },
    ancestors: lines.map((_, index) => ({ pid: 100 - index, start: '1' })),
    commandLine: (pid: number) => lines[100 - pid] ?? [],
  });

  test('is the parent', () => {
    expect(clientProcess(table(['claude'], ['bash']))).toEqual({ pid: 100, start: '1' });
  });

  test('is behind the wrappers that it started the shim through', () => {
    const line = table(['sh', '-c', 'sub shim'], ['npm exec sub shim'], ['claude'], ['bash']);
    expect(clientProcess(line)).toEqual({ pid: 98, start: '1' });
  });

  test('is the parent where there is nothing but wrappers', () => {
    expect(clientProcess(table(['sh', '-c', 'a'], ['sh', '-c', 'b']))).toEqual({ pid: 100, start: '1' });
  });

  test('is not the terminal that a person types into, but what was started there', () => {
    expect(clientProcess(table(['-bash'], ['sshd']))).toEqual({ pid: 200, start: '1' });
    expect(clientProcess(table(['npx sub shim'], ['bash']))).toEqual({ pid: 100, start: '1' });
  });

  test('is the terminal where that connected by itself', () => {
    expect(clientProcess({ ...table(['bash']), joins: undefined })).toEqual({ pid: 100, start: '1' });
  });

  test('is nobody where there is no parent', () => {
    expect(clientProcess(table())).toBeUndefined();
  });
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSub, SUB } from '../harness/sub.js';

let folder: string;
let installed: string;

/** Runs the installed command with a PATH that begins with `first`. */
function start(first: string, args: readonly string[]) {
  const PATH = `${first}${delimiter}${process.env['PATH'] ?? ''}`;
  return spawnSync(installed, args, { encoding: 'utf8', env: { ...process.env, PATH } });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub launcher-'));
  installed = join(folder, 'sub');
  symlinkSync(SUB, installed);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the installed command', () => {
  test('runs through a link, from a folder with a space, and does what node does with the file', async () => {
    const { status, stdout, stderr } = start(dirname(process.execPath), ['version']);
    const { stdout: same } = await runSub(['version']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: same, stderr: '' });
  });

  test('starts a shim with a small young generation, everything else without options, and arguments as they are', () => {
    const program = join(folder, 'node');
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@"\n`);
    chmodSync(program, 0o755);
    const given = (...args: string[]) => start(folder, args).stdout.trimEnd().split('\n');
    expect(given('shim', 'stdio', '--', '$HOME', 'a  b', '*', '')).toEqual([
      '--max-semi-space-size=2',
      '--single-threaded-gc',
      '--heap-growing-percent=50',
      installed,
      'shim',
      'stdio',
      '--',
      '$HOME',
      'a  b',
      '*',
    ]);
    expect(given('audit', 'verify', 'shim')).toEqual([installed, 'audit', 'verify', 'shim']);
    rmSync(program);
  });
});

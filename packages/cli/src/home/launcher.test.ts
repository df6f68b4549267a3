import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { homePaths, type HomePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLauncherOurs, keepLauncher, launcherText } from './launcher.js';

let root: string;
let home: HomePaths;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "it's a home-"));
  home = homePaths(join(root, 'home'));
  mkdirSync(home.home);
});
afterEach(() => rmSync(root, { recursive: true }));

/** A version of Node as its managers keep it: here `node` says its own path and what it is given. */
function version(
  name: string,
  has: { readonly sub: boolean },
): { readonly node: string; readonly sub: string } {
  const folder = join(root, 'versions/node', name);
  const [node, sub] = [join(folder, 'bin/node'), join(folder, 'lib/node_modules/@subluminal/cli/sub.mjs')];
  put(node, `#!/bin/sh\nprintf '%s\\n' "$0" "$@"\n`);
  if (has.sub) put(sub, '');
  return { node, sub };
}

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

function start(...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(home.launcher, args, { encoding: 'utf8', env: {}, cwd: '/' });
  return { lines: stdout.split('\n').slice(0, -1), stderr, status };
}

function lead(node: string, sub: string): void {
  put(home.launcher, launcherText(node, sub));
}

describe('the launcher of a home', () => {
  it('starts `sub` with every word as it is given, and a shim in little memory', () => {
    const { node, sub } = version('v22.23.3', { sub: true });
    lead(node, sub);
    expect(start('query', 'a b', "c'd", '$HOME', '*').lines).toEqual([
      node,
      sub,
      'query',
      'a b',
      "c'd",
      '$HOME',
      '*',
    ]);
    expect(start('shim', 'stdio').lines).toEqual([
      node,
      '--max-semi-space-size=2',
      '--single-threaded-gc',
      '--heap-growing-percent=50',
      sub,
      'shim',
      'stdio',
    ]);
  });

  it('takes the last version beside it that has `sub`, once its own is gone', () => {
    const { node, sub } = version('v22.23.3', { sub: true });
    const other = version('v24.21.0', { sub: true });
    version('v26.0.0', { sub: false });
    version('x', { sub: true });
    lead(node, sub);
    expect(start('up').lines[0]).toBe(node);
    rmSync(join(root, 'versions/node/v22.23.3'), { recursive: true });
    expect(start('up').lines).toEqual([other.node, other.sub, 'up']);
  });

  it('takes another version of node for a `sub` that does not go with it', () => {
    const { node } = version('22.23.3_1', { sub: false });
    const other = version('24.21.0', { sub: false });
    const sub = put(join(root, 'lib/node_modules/@subluminal/cli/sub.mjs'), '');
    lead(node, sub);
    rmSync(node);
    expect(start('up').lines).toEqual([other.node, sub, 'up']);
  });

  it('says what to do where nothing is left, and starts nothing', () => {
    const { node, sub } = version('v22.23.3', { sub: true });
    lead(node, sub);
    rmSync(join(root, 'versions'), { recursive: true });
    expect(start('shim', 'stdio')).toEqual({
      lines: [],
      stderr: expect.stringMatching(/^subluminal: .* is gone: install it again, then run `sub up`\n$/),
      status: 127,
    });
  });

  it.skipIf(process.platform === 'win32')('is written once for a `sub`, for its owner alone', () => {
    expect(isLauncherOurs(home, '/opt/sub.mjs')).toBe(false);
    keepLauncher(home, '/opt/sub.mjs');
    expect(isLauncherOurs(home, '/opt/sub.mjs')).toBe(true);
    const { ino, mode } = lstatSync(home.launcher);
    expect(mode & 0o777).toBe(0o700);
    keepLauncher(home, '/opt/sub.mjs');
    expect(lstatSync(home.launcher).ino).toBe(ino);
    keepLauncher(home, '/other/sub.mjs');
    expect(readFileSync(home.launcher, 'utf8')).toBe(launcherText(process.execPath, '/other/sub.mjs'));
    expect(isLauncherOurs(home, '/opt/sub.mjs')).toBe(false);
  });

  it('is not led to a copy that npx removes again', () => {
    const fleeting = '/home/ada/.npm/_npx/0f/node_modules/@subluminal/cli/sub.mjs';
    expect(isLauncherOurs(home, fleeting)).toBe(true);
  });
});

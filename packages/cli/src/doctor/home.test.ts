import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHome, checkPermissions } from './home.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the check of a home that is none of ours says more than to run itself', () => {
  const home = join(folder, 'home');
  writeFileSync(home, '');
  expect(checkHome(homePaths(home))).toMatchObject({
    level: 'fail',
    help: expect.stringContaining('with `--home`'),
  });
  mkdirSync(join(folder, 'wide'));
  chmodSync(join(folder, 'wide'), 0o777);
  expect(checkHome(homePaths(join(folder, 'wide')))).toMatchObject({
    level: 'fail',
    help: `run \`chmod 700 ${join(folder, 'wide')}\``,
  });
});

describe.skipIf(process.getuid === undefined)('the check of permissions', () => {
  it('fails with what to do where the home cannot be looked into', () => {
    // A file cannot be listed either, whatever the user that the tests run as.
    const home = join(folder, 'home');
    writeFileSync(home, '');
    expect(checkPermissions(homePaths(home))).toEqual({
      name: 'permissions',
      level: 'fail',
      message: `\`${home}\` cannot be looked into: a part of its path is no folder`,
      help: `run as the user that \`${home}\` belongs to; if that is you, run \`chmod 700 ${home}\``,
    });
  });

  it('leaves out what worlds have written, and no other file of a layer', () => {
    const layer = join(folder, 'layers', 'one');
    mkdirSync(join(layer, 'upper', 'd'), { recursive: true });
    for (const path of [join(folder, 'layers'), layer]) chmodSync(path, 0o700);
    writeFileSync(join(layer, 'upper', 'd', 'file'), '');
    for (const path of ['upper', 'upper/d', 'upper/d/file']) chmodSync(join(layer, path), 0o755);
    expect(checkPermissions(homePaths(folder))).toMatchObject({ level: 'ok' });
    writeFileSync(join(layer, 'bases'), '');
    chmodSync(join(layer, 'bases'), 0o644);
    expect(checkPermissions(homePaths(folder))).toMatchObject({
      level: 'fail',
      message: `\`${join(layer, 'bases')}\` is not closed to others`,
    });
  });

  it('names the first file that is open to others, and counts the rest', () => {
    mkdirSync(join(folder, 'keys'), { mode: 0o700 });
    for (const name of ['a', 'b']) {
      writeFileSync(join(folder, 'keys', name), '');
      chmodSync(join(folder, 'keys', name), 0o644);
    }
    expect(checkPermissions(homePaths(folder))).toMatchObject({
      level: 'fail',
      message: expect.stringMatching(/keys.[ab]` is not closed to others, and 1 more$/),
      help: expect.stringMatching(/^run `chmod 600 /),
    });
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOwnText } from './own-file.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-own-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rules = { maxBytes: 8, forbidden: 0o022 };

describe('the text of a file of ours', () => {
  it('is read up to the limit, and undefined where there is none', () => {
    expect(readOwnText(path, rules)).toBeUndefined();
    expect(readOwnText(join(path, 'below'), rules)).toBeUndefined();
    writeFileSync(path, '', { mode: 0o600 });
    expect(readOwnText(path, rules)).toBe('');
    writeFileSync(path, '12345é7');
    expect(readOwnText(path, rules)).toBe('12345é7');
  });

  it.runIf(process.platform !== 'win32').each<[string, () => void]>([
    ['is a link', () => symlinkSync('/dev/null', path)],
    ['is not a regular file', () => mkdirSync(path)],
    ['is not a regular file', () => execFileSync('mkfifo', ['-m', '600', path])],
    ['is larger than 8 bytes', () => writeFileSync(path, '123456789', { mode: 0o600 })],
    ['is not utf-8', () => writeFileSync(path, Buffer.from([0x61, 0xff]), { mode: 0o600 })],
    [
      'has permissions 620, which are too wide',
      () => {
        writeFileSync(path, '');
        chmodSync(path, 0o620);
      },
    ],
  ])('is not believed when it %s', (what, make) => {
    make();
    expect(() => readOwnText(path, rules)).toThrowError(
      expect.objectContaining({ code: 'home_unsafe', message: `\`${path}\` ${what}` }),
    );
  });

  it.runIf(process.platform !== 'win32')('may be readable by others only where the rules say so', () => {
    writeFileSync(path, 'text');
    chmodSync(path, 0o644);
    expect(readOwnText(path, rules)).toBe('text');
    expect(() => readOwnText(path, { ...rules, forbidden: 0o077 })).toThrowError(
      expect.objectContaining({ code: 'home_unsafe' }),
    );
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LogFile } from './log-file.js';

const folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'sub-log-'));
  folders.push(made);
  return made;
}

afterEach(() => {
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

describe('the log', () => {
  it('begins anew at its limit and keeps the lines before it in a second file', () => {
    const path = join(folder(), 'gateway.log');
    const log = new LogFile(path, 10);
    for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
    log.close();
    log.write('after\n');
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual([
      'one\ntwo\n',
      'three\n',
    ]);
  });

  it.runIf(process.platform === 'linux')('loses a line rather than the gateway when the disk is full', () => {
    const log = new LogFile('/dev/full');
    expect(() => log.write('one\n')).not.toThrow();
    expect(log.lost).toBe(1);
    log.close();
  });

  it('is not written through a link', () => {
    const path = join(folder(), 'gateway.log');
    writeFileSync(`${path}.theirs`, '');
    symlinkSync(`${path}.theirs`, path);
    expect(() => new LogFile(path)).toThrow(/ELOOP/);
  });

  it('goes on in its old file when a new one cannot be made', () => {
    const path = join(folder(), 'gateway.log');
    const log = new LogFile(path, 10);
    log.write('12345678\n');
    mkdirSync(`${path}.1`);
    log.write('abcdefgh\n');
    log.close();
    expect(readFileSync(path, 'utf8')).toBe('12345678\nabcdefgh\n');
  });
});

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LogFile } from './log-file.js';

const SMALL = { maxBytes: 10, kept: 1 };
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
    const log = new LogFile(path, SMALL);
    for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
    log.close();
    log.write('after\n');
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual([
      'one\ntwo\n',
      'three\n',
    ]);
  });

  it.runIf(process.platform === 'linux')('loses a line rather than the gateway when the disk is full', () => {
    const log = new LogFile('/dev/full', SMALL);
    expect(() => log.write('one\n')).not.toThrow();
    expect(log.lost).toBe(1);
    log.close();
  });

  it('is not written through a link', () => {
    const path = join(folder(), 'gateway.log');
    writeFileSync(`${path}.theirs`, '');
    symlinkSync(`${path}.theirs`, path);
    expect(() => new LogFile(path, SMALL)).toThrow(/ELOOP/);
  });

  it('begins anew where it is when a full file cannot be set aside, and never grows', () => {
    const path = join(folder(), 'gateway.log');
    const log = new LogFile(path, SMALL);
    mkdirSync(`${path}.1`);
    for (let n = 0; n < 50; n += 1) log.write(`line ${n}\n`);
    log.close();
    expect(readFileSync(path, 'utf8')).toBe('line 49\n');
  });

  it('keeps so many full files, each for its owner alone, and drops the oldest', () => {
    const at = folder();
    const path = join(at, 'gateway.log');
    const log = new LogFile(path, { maxBytes: 10, kept: 3 });
    for (let n = 0; n < 20; n += 1) log.write(`line ${n}\n`);
    expect(readdirSync(at).toSorted()).toEqual(['', '.1', '.2', '.3'].map((end) => `gateway.log${end}`));
    expect(readFileSync(`${path}.3`, 'utf8')).toBe('line 16\n');
    for (const name of readdirSync(at)) expect(statSync(join(at, name)).mode & 0o777).toBe(0o600);
    log.setBounds({ maxBytes: 10, kept: 0 });
    log.write('line 20\n');
    log.close();
    expect(readdirSync(at)).toEqual(['gateway.log']);
    expect(readFileSync(path, 'utf8')).toBe('line 20\n');
  });

  it('goes on where a gateway died between two moves', () => {
    const path = join(folder(), 'gateway.log');
    writeFileSync(`${path}.2`, 'moved\n');
    const log = new LogFile(path, { maxBytes: 10, kept: 2 });
    for (const line of ['first\n', 'second\n', 'third\n']) log.write(line);
    log.close();
    const kept = ['', '.1', '.2'].map((end) => readFileSync(`${path}${end}`, 'utf8'));
    expect(kept).toEqual(['third\n', 'second\n', 'first\n']);
  });
});

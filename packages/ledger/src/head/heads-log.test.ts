import { afterAll, describe, expect, it } from 'vitest';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeadsLogWriter, readHeadsLog } from './heads-log.js';

const FINGERPRINT = 'ab'.repeat(32);
const ROOT = Buffer.alloc(32, 7).toString('base64');
const WHOLE = `${FINGERPRINT}\n1 ${ROOT} 1760000000000\n7 ${ROOT} 1760000000001\n`;

describe('what a power cut leaves of the last line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'subl-heads-'));
  const path = join(folder, 'heads.log');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const sizes = (text: string): unknown => {
    writeFileSync(path, text, 'latin1');
    const log = readHeadsLog(path);
    return typeof log === 'string' ? log : log.lines.map((line) => line.size);
  };
  const line = `9 ${ROOT} 1760000000002\n`;

  it.each([1, 20, line.length - 1])('its first %d bytes as zeros: the line was never written', (zeros) => {
    expect(sizes(`${WHOLE}${'\0'.repeat(zeros)}${line.slice(zeros)}`)).toEqual([1, 7]);
  });

  it('is cut off when the log is opened again', () => {
    writeFileSync(path, `${WHOLE}\0\0${line.slice(2)}`, 'latin1');
    const log = readHeadsLog(path);
    if (typeof log === 'string') throw new Error(log);
    HeadsLogWriter.open(path, FINGERPRINT, log.completeBytes).close();
    expect(readFileSync(path, 'latin1')).toBe(WHOLE);
  });

  it('is nothing else: zeros in an earlier line, or another damage of the last, are not of a power cut', () => {
    expect(sizes(WHOLE)).toEqual([1, 7]);
    expect(sizes(`${WHOLE}\0\0${line.slice(2)}${line}`)).toBe('broken');
    expect(sizes(`${WHOLE}x${line.slice(1)}`)).toBe('broken');
    expect(sizes(`${'\0'.repeat(4)}${FINGERPRINT.slice(4)}\n`)).toBe('broken');
  });
});

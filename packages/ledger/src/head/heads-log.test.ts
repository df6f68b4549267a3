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

describe('a heads log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'subl-heads-'));
  const path = join(folder, 'heads.log');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (text: string): ReturnType<typeof readHeadsLog> => {
    writeFileSync(path, text, 'latin1');
    return readHeadsLog(path);
  };
  /** The log of these lines, each of which may be a restore. */
  const log = (...heads: readonly string[]): string =>
    [FINGERPRINT, ...heads.map((head) => `${head} ${ROOT} 1760000000000`), ''].join('\n');
  const sizes = (text: string): unknown => {
    const found = read(text);
    return typeof found === 'string' ? found : [found.lines.map((one) => one.size), found.known?.size];
  };

  it('is read to its fingerprint, its lines and its length', () => {
    const root = '07'.repeat(32);
    const newest = { size: 7, root, ts: 1_760_000_000_001, restored: false };
    expect(read(WHOLE)).toEqual({
      fingerprint: FINGERPRINT,
      lines: [{ size: 1, root, ts: 1_760_000_000_000, restored: false }, newest],
      known: newest,
      completeBytes: WHOLE.length,
    });
  });

  it('of a fingerprint alone knows nothing yet', () => {
    expect(sizes(log())).toEqual([[], undefined]);
  });

  it('is missing where there is no file, and broken where it is a folder', () => {
    expect(readHeadsLog(join(folder, 'none'))).toBe('missing');
    expect(readHeadsLog(folder)).toBe('broken');
  });

  it.each([0, 1, 63, 64])('is missing where %d bytes of its first line were written', (length) => {
    expect(read(FINGERPRINT.slice(0, length))).toBe('missing');
  });

  it.each([65, 66, 200])('is broken where %d bytes have no end of a line', (length) => {
    expect(read('a'.repeat(length))).toBe('broken');
  });

  it.each([
    '',
    '\0\0',
    FINGERPRINT.slice(1),
    `${FINGERPRINT}a`,
    FINGERPRINT.toUpperCase(),
    ` ${FINGERPRINT}`,
    `${FINGERPRINT}\r`,
  ])('is broken with the fingerprint %j', (first) => {
    expect(read(`${first}\n`)).toBe('broken');
    expect(read(`${first}\n\n`)).toBe('broken');
  });

  it.each([
    '',
    '1',
    `1 ${ROOT}`,
    `${ROOT} 1`,
    `1 ${ROOT} `,
    ` 1 ${ROOT} 1`,
    `1  ${ROOT} 1`,
    `1 ${ROOT} 1 `,
    `1 ${ROOT.replace('c=', 'd=')} 1`,
    `1 ${ROOT} 1\r`,
    `1 ${ROOT} 1 more`,
    `01 ${ROOT} 1`,
    `-1 ${ROOT} 1`,
    `1.5 ${ROOT} 1`,
    `12345678901234567 ${ROOT} 1`,
    `1 ${ROOT} -1`,
    `1 ${ROOT} 12345678901234567`,
    `1 ${ROOT.slice(1)} 1`,
    `1 A${ROOT} 1`,
    `1 ${ROOT.slice(0, -1)} 1`,
    `1 ${ROOT.replace('B', '-')} 1`,
    `restored1 ${ROOT} 1`,
    `Restored 1 ${ROOT} 1`,
    `restored restored 1 ${ROOT} 1`,
  ])('is broken with the line %j', (text) => {
    expect(read(`${FINGERPRINT}\n${text}\n`)).toBe('broken');
    expect(read(`${FINGERPRINT}\n${text}\n9 ${ROOT} 1\n`)).toBe('broken');
  });

  it.each([
    [['0'], [[0], 0]],
    [
      ['7', '7'],
      [[7, 7], 7],
    ],
    [
      ['7', '8'],
      [[7, 8], 8],
    ],
    [['7', '6'], 'broken'],
    [['7', '0'], 'broken'],
  ])('of the sizes %j gives %j: they may stay and grow, and not fall', (heads, expected) => {
    expect(sizes(log(...heads))).toEqual(expected);
  });

  it.each([
    [['restored 3'], [[3], 3]],
    [
      ['1', '7', 'restored 3'],
      [[1, 3], 7],
    ],
    [
      ['1', '7', 'restored 7'],
      [[1, 7, 7], 7],
    ],
    [
      ['1', '3', 'restored 7'],
      [[1, 3, 7], 7],
    ],
    [
      ['7', 'restored 0'],
      [[0], 7],
    ],
    [
      ['7', 'restored 3', '5'],
      [[3, 5], 5],
    ],
    [
      ['7', 'restored 3', '3'],
      [[3, 3], 3],
    ],
    [['7', 'restored 3', '2'], 'broken'],
    [
      ['7', 'restored 3', 'restored 3'],
      [[3], 7],
    ],
    [
      ['7', 'restored 3', '5', 'restored 3'],
      [[3], 5],
    ],
    [
      ['7', 'restored 3', 'restored 5'],
      [[3, 5], 7],
    ],
    [
      ['9', 'restored 5', 'restored 3'],
      [[3], 9],
    ],
  ])('of the lines %j gives what counts, and the most that was known: %j', (heads, expected) => {
    expect(sizes(log(...heads))).toEqual(expected);
  });

  it('knows a restore to what was known by the restore itself', () => {
    for (const size of [3, 4]) {
      const found = read(log('3', `restored ${size}`));
      expect(found).toMatchObject({ known: { size, restored: true } });
    }
  });
});

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHeadsLog } from '../../../packages/ledger/dist/head/heads-log.js';
import { openCheckpoint, signCheckpoint } from '../../../packages/ledger/dist/head/note.js';
import { promise, type Target } from '../engine/target.js';

const root = (byte: string): string => byte.repeat(32);
const FINGERPRINT = root('ab');
const line = (size: number, ts: number): string =>
  `${size} ${Buffer.alloc(32, size).toString('base64')} ${ts}\n`;

/**
 * What a crash may leave behind the last whole line: part of one, and before it one that was torn, with zeros
 * in it.
 */
function isUnfinished(rest: Buffer): boolean {
  const feed = rest.indexOf(10);
  return feed === -1 || (feed === rest.lastIndexOf(10) && rest.subarray(0, feed).includes(0));
}

function sizeOf(text: string): number {
  return Number(text.replace('restored ', '').split(' ')[0]);
}

/** The lines that no later restore gave up. */
function whatCounts(texts: readonly string[]): string[] {
  const kept: string[] = [];
  for (const text of texts) {
    const again = (last: string): boolean => last.startsWith('restored ') && sizeOf(last) === sizeOf(text);
    if (text.startsWith('restored ')) {
      for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
        if (sizeOf(last) <= sizeOf(text) && !again(last)) break;
        kept.pop();
      }
    }
    kept.push(text);
  }
  return kept;
}

/**
 * The memory outside of the home: what is no heads.log is `broken` or `missing`, and never a shorter memory.
 */
export function headsLog(): Target {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-heads-'));
  const path = join(folder, 'heads.log');
  return {
    name: 'heads-log',
    seeds: [
      `${FINGERPRINT}\n${line(1, 1)}${line(5, 2)}${line(5, 3)}`,
      `${FINGERPRINT}\n`,
      `${FINGERPRINT}\n${line(1, 1)}7 half`,
      `${FINGERPRINT}\n${line(1, 1)}${line(9, 2)}restored ${line(5, 3)}${line(7, 4)}`,
      `${FINGERPRINT}\n${line(1, 1)}\0\0\0 3\n`,
    ].map((text) => Buffer.from(text)),
    words: [
      'restored ',
      '\n',
      ' ',
      '0',
      '00',
      '-1',
      '=',
      FINGERPRINT,
      line(2, 9),
      '\r',
      '9007199254740993',
      '\0',
    ],
    maxBytes: 1024,
    run(input) {
      writeFileSync(path, input);
      const read = readHeadsLog(path);
      if (typeof read === 'string') return false;
      const complete = input.subarray(0, read.completeBytes).toString('latin1');
      promise(
        complete.endsWith('\n') && isUnfinished(input.subarray(read.completeBytes)),
        'every whole line is read',
      );
      const [fingerprint, ...texts] = complete.slice(0, -1).split('\n');
      promise(fingerprint === read.fingerprint, 'the first line is the fingerprint');
      const shown = read.lines.map(({ size, restored, root: hash, ts }) => {
        return `${restored ? 'restored ' : ''}${size} ${Buffer.from(hash, 'hex').toString('base64')} ${ts}`;
      });
      promise(
        JSON.stringify(shown.map(sizeOf)) === JSON.stringify(whatCounts(texts).map(sizeOf)),
        'what counts is read',
      );
      promise(
        read.lines.every(({ size, ts }, at) => {
          return (
            Number.isSafeInteger(ts) && Number.isSafeInteger(size) && size >= (read.lines[at - 1]?.size ?? 0)
          );
        }),
        'sizes are numbers that rise',
      );
      return true;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const PUBLIC = createPublicKey(KEY);
const GENUINE = { size: 300, root: root('5c') };
const NOTE = signCheckpoint('L1', GENUINE, { log: KEY });
const OTHER = signCheckpoint('L2', GENUINE, { log: KEY });
const OLDER = signCheckpoint('L1', { size: 7, root: root('5d') }, { log: KEY });

/** The signed head: no bytes but the ones that were signed open it. */
export const notes: Target = {
  name: 'notes',
  seeds: [NOTE, OTHER, OLDER, `${NOTE}${OTHER}`].map((text) => Buffer.from(text)),
  words: [
    '\n',
    ' ',
    '\u2014 ',
    '0',
    '+',
    '=',
    'subluminal/L1',
    NOTE.split('\n')[2] ?? '',
    NOTE.split('\n')[4] ?? '',
  ],
  maxBytes: 1024,
  run(input) {
    const text = input.toString('utf8');
    const opened = openCheckpoint('L1', text, { log: PUBLIC });
    promise((opened !== undefined) === (text === NOTE || text === OLDER), 'only what was signed opens');
    return opened !== undefined;
  },
};

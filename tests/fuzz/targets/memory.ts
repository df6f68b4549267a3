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

/** The memory outside of the home: what is no heads.log is `broken` or `missing`, and never a shorter memory. */
export function headsLog(): Target {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-heads-'));
  const path = join(folder, 'heads.log');
  return {
    name: 'heads-log',
    seeds: [
      `${FINGERPRINT}\n${line(1, 1)}${line(5, 2)}${line(5, 3)}`,
      `${FINGERPRINT}\n`,
      `${FINGERPRINT}\n${line(1, 1)}7 half`,
    ].map((text) => Buffer.from(text)),
    words: ['\n', ' ', '0', '00', '-1', '=', FINGERPRINT, line(2, 9), '\r', '9007199254740993', '\0'],
    maxBytes: 1024,
    run(input) {
      writeFileSync(path, input);
      const read = readHeadsLog(path);
      if (typeof read === 'string') return false;
      const complete = input.subarray(0, read.completeBytes).toString('latin1');
      promise(
        complete.endsWith('\n') && !input.subarray(read.completeBytes).includes(10),
        'every whole line is read',
      );
      const texts = complete.slice(0, -1).split('\n');
      promise(
        texts.length === read.lines.length + 1 && texts[0] === read.fingerprint,
        'every line is a line',
      );
      let last = 0;
      read.lines.forEach(({ size, root: hash, ts }, at) => {
        promise(
          size >= last && Number.isSafeInteger(size) && Number.isSafeInteger(ts),
          'sizes are numbers that rise',
        );
        const [first, , third] = texts[at + 1]?.split(' ') ?? [];
        promise(
          first === String(size) && Number(third) === ts && hash.length === 64,
          'nothing is read twice in two ways',
        );
        last = size;
      });
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

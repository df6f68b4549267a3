import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SublError, type VerifierKey } from '@subluminal/core-types';
import { syncFolder } from '@subluminal/ipc';
import { splitNotes } from '@subluminal/ledger';
import { readWholeLines } from '../outside-files.js';
import { whyOf } from '../../output/system-error.js';
import { assertContinues } from './known.js';
import type { Fresh, Placed } from './place.js';

const NAMED = { option: '--file', help: 'name a file of its own for the anchors; it need not exist yet' };

/**
 * Appends a checkpoint to a file; it is on the disk when this returns. Throws `failed`, `ledger_corrupt`,
 * `usage`.
 */
export function anchorInFile(path: string, fresh: Fresh, log: VerifierKey): Placed {
  const target = resolve(path);
  const text = existsSync(target) ? readWholeLines(target, NAMED) : '';
  assertContinues(text, log, fresh, `\`${target}\``);
  const whole = Buffer.byteLength(text) - Buffer.byteLength(splitNotes(text).rest);
  const rest = existsSync(target) ? readFileSync(target).toString('latin1', whole) : '';
  if (rest !== '' && !isTorn(rest, log)) {
    throw new SublError('usage', `\`${target}\` holds something else than checkpoints`, {
      help: 'name a file of its own for the anchors',
    });
  }
  try {
    append(target, fresh.note, whole, rest !== '');
  } catch (cause) {
    throw new SublError('failed', `\`${target}\` cannot be appended to: ${whyOf(cause)}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
  return { kind: 'file', target, evidence: {} };
}

/**
 * Whether a crash left this of a checkpoint, or of its last signature. Any other text is somebody's, and
 * stays.
 */
function isTorn(rest: string, log: VerifierKey): boolean {
  const starts = [`${log.name}\n`, Buffer.from(`— ${log.name}`).toString('latin1')];
  return starts.some((start) => rest.startsWith(start) || start.startsWith(rest));
}

function append(path: string, note: string, whole: number, torn: boolean): void {
  const isNew = !existsSync(path);
  const handle = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('it is no file');
    if (torn) ftruncateSync(handle, whole);
    if (writeSync(handle, note) !== Buffer.byteLength(note)) throw new Error('the disk took a part only');
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (isNew) syncFolder(dirname(path));
}

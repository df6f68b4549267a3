import type { Checkpoint } from '../head/note.js';
import { readBase64 } from '@subluminal/core-types';

/** What the text of a checkpoint says of a log. */
export interface CheckpointText extends Checkpoint {
  readonly origin: string;
}

const SIZE = /^(?:0|[1-9][0-9]{0,15})$/;

/** A tree size or an index in the one spelling that C2SP allows; undefined for any other. */
export function readSize(text: string): number | undefined {
  const size = SIZE.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}

/**
 * Reads the text of a checkpoint (C2SP tlog-checkpoint). Extension lines are signed with it and not
 * understood.
 */
export function readCheckpointText(text: string): CheckpointText | undefined {
  const lines = text.split('\n');
  const [origin = '', size = '', root = '', ...rest] = lines.slice(0, -1);
  const read = readSize(size);
  const hash = readBase64(root, 32);
  if (lines.at(-1) !== '' || origin === '' || read === undefined || hash === undefined) return undefined;
  if (rest.includes('')) return undefined;
  return { origin, size: read, root: hash.toString('hex') };
}

/** The text of a checkpoint without extension lines. */
export function renderCheckpointText({ origin, size, root }: CheckpointText): string {
  return `${origin}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;
}

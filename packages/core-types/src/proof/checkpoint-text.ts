import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { base64Bytes, base64Text } from '../note/portable-base64.js';

/** The words of a checkpoint on a log. `root` is lowercase hex. */
export interface CheckpointText {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
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
  const hash = base64Bytes(root, 32);
  if (lines.at(-1) !== '' || origin === '' || read === undefined || hash === undefined) return undefined;
  if (rest.includes('')) return undefined;
  return { origin, size: read, root: bytesToHex(hash) };
}

/** The text of a checkpoint without extension lines. */
export function renderCheckpointText({ origin, size, root }: CheckpointText): string {
  return `${origin}\n${size}\n${base64Text(hexToBytes(root))}\n`;
}

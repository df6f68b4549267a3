import { SublError } from '../errors/subl-error.js';
import { isWellFormed } from '../json/well-formed.js';
import { DEFAULT_MAX_FRAME_BYTES, HEADER_BYTES } from './limits.js';

/**
 * One frame: the length of `text` in UTF-8 as four big-endian bytes, then the bytes. Throws `frame_empty`,
 * `frame_too_large` (over `maxBytes`), or `frame_bad_utf8` for a lone surrogate, which UTF-8 would silently
 * replace.
 */
export function encodeFrame(text: string, maxBytes: number = DEFAULT_MAX_FRAME_BYTES): Buffer {
  const length = Buffer.byteLength(text);
  if (length === 0) throw new SublError('frame_empty', 'a frame must not be empty');
  if (length > maxBytes) {
    throw new SublError('frame_too_large', `a frame of ${length} bytes is larger than ${maxBytes}`);
  }
  if (!isWellFormed(text)) throw new SublError('frame_bad_utf8', 'a frame holds half of a surrogate pair');
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, HEADER_BYTES, 'utf8');
  return frame;
}

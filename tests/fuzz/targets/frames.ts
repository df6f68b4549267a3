import { encodeFrame, FrameDecoder, isSublError, SublError } from '@subluminal/core-types';
import { chunks, promise, type Target } from '../engine/target.js';

const MAX_BYTES = 256;
const CODES = ['frame_bad_utf8', 'frame_empty', 'frame_too_large'];

/** What a stream of frames holds, read in one go: the texts, or the code of its mistake. */
function reference(input: Buffer): { texts: string[]; rest: number } | string {
  const texts: string[] = [];
  let at = 0;
  while (input.length - at >= 4) {
    const length = input.readUInt32BE(at);
    if (length === 0) return 'frame_empty';
    if (length > MAX_BYTES) return 'frame_too_large';
    if (input.length - at - 4 < length) break;
    const body = input.subarray(at + 4, at + 4 + length);
    const text = body.toString('utf8');
    if (!Buffer.from(text).equals(body)) return 'frame_bad_utf8';
    texts.push(text);
    at += 4 + length;
  }
  return { texts, rest: input.length - at };
}

/**
 * The frame decoder: the same texts wherever the stream is cut, bounded memory, three errors, and no way back
 * from them.
 */
export const frames: Target = {
  name: 'frames',
  seeds: [
    encodeFrame('{}'),
    Buffer.concat([encodeFrame('{"a":1}'), encodeFrame('\u{1f600}\u00e9')]),
    encodeFrame('x'.repeat(MAX_BYTES)),
    Buffer.from([0, 0, 0, 0]),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 1]),
    Buffer.from([0, 0, 0, 3, 0xef, 0xbb, 0xbf]),
    Buffer.from([0, 0, 0, 2, 0xc0, 0xaf]),
  ],
  words: ['\0\0\0\u0001', '\0\0\0', '\u0001', '{}'],
  maxBytes: 1024,
  run(input, random) {
    const expected = reference(input);
    const decoder = new FrameDecoder({ maxBytes: MAX_BYTES });
    const texts: string[] = [];
    try {
      for (const chunk of chunks(input, random)) {
        texts.push(...decoder.push(chunk));
        promise(decoder.buffered <= 4 + MAX_BYTES, 'no more than one frame is held');
      }
    } catch (error) {
      promise(isSublError(error) && CODES.includes(error.code), 'the decoder throws nothing but its errors');
      promise(error.code === expected, `the mistake is ${JSON.stringify(expected)} and not ${error.code}`);
      promise(stillFails(decoder, error), 'a stream that has lost its place stays lost');
      promise(decoder.buffered === 0, 'nothing is held after a mistake');
      return false;
    }
    promise(typeof expected === 'object', 'what is no frame is refused');
    promise(
      JSON.stringify(texts) === JSON.stringify(expected.texts),
      'the texts do not depend on the chunks',
    );
    promise(decoder.buffered === expected.rest, 'what waits for its end is counted');
    for (const text of texts) {
      promise(encodeFrame(text).subarray(4).toString() === text, 'a text that came out goes in again');
    }
    return texts.length > 0;
  },
};

function stillFails(decoder: FrameDecoder, first: SublError): boolean {
  try {
    decoder.push(encodeFrame('{}'));
    return false;
  } catch (error) {
    return error === first;
  }
}

import type { SublError } from '@subluminal/core-types';
import type { Wire } from './wire.js';

/** What a server may say in a whole conversation: a hundred times what a talkative one does. */
const MAX_BYTES = 262_144;
const MAX_LINES = 2048;

const LINE_FEED = 10;

/**
 * Bounds what comes over the connection, before whoever reads it next: nodemailer bounds one reply, but keeps each line that it
 * was not waiting for, and an empty one costs its sender a byte. The returned function tells why the connection was ended, if it was.
 */
export function guardReplies(wire: Wire): () => SublError | undefined {
  let why: SublError | undefined;
  let bytes = 0;
  let lines = 0;
  // Else the first listener would start the flow, and the greeting would be gone before the next one listens.
  wire.socket.pause();
  wire.socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) lines += 1;
    if (why !== undefined || (bytes <= MAX_BYTES && lines <= MAX_LINES)) return;
    why = bytes > MAX_BYTES ? wire.tooMuch(MAX_BYTES) : wire.strange('does not speak SMTP');
    wire.close();
  });
  return () => why;
}

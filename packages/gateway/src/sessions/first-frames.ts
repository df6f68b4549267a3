import { FrameDecoder } from '@subluminal/core-types';
import { MAX_HANDSHAKE_FRAME_BYTES } from './limits.js';
import { refused } from './handshake.js';

const HEADER_BYTES = 4;

/**
 * Most that a peer may have sent ahead: its proof and the start of a first request, as one read of a socket
 * gives it.
 */
const MAX_AHEAD_BYTES = 128 * 1024;

/**
 * Reads a peer's handshake frames one at a time, each at most 4 KiB. What follows the second one already
 * belongs to the session, whose frames may be larger: it is left in `rest`.
 */
export class FirstFrames {
  #pending: Buffer = Buffer.alloc(0);

  /** Takes in bytes. @throws SublError `handshake_refused` when a peer sends more than any honest one. */
  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (this.#pending.length > MAX_AHEAD_BYTES) throw refused();
  }

  /** The next frame, undefined until it is whole. @throws SublError of the frame codec. */
  next(): string | undefined {
    if (this.#pending.length < HEADER_BYTES) return undefined;
    const end = HEADER_BYTES + this.#pending.readUInt32BE(0);
    const decoder = new FrameDecoder({ maxBytes: MAX_HANDSHAKE_FRAME_BYTES });
    const [text] = decoder.push(this.#pending.subarray(0, end));
    if (text !== undefined) this.#pending = this.#pending.subarray(end);
    return text;
  }

  /** The bytes that no frame has taken yet. */
  rest(): Buffer {
    const rest = this.#pending;
    this.#pending = Buffer.alloc(0);
    return rest;
  }
}

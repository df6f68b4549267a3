import { StreamHash } from '@subluminal/core-types';
import { EnvelopeReader } from '../json-scan/envelope-reader.js';
import { type Message, refuse, type Refusal } from '../message/message.js';
import { Spool } from './spool.js';

/** A message that was too large to be held, after all of it has arrived. */
export interface Spooled {
  readonly judged: Message | Refusal;
  /** Length of the message without its line feed. */
  readonly bytes: number;
  /** SHA-256 of exactly those bytes. */
  readonly streamHash: string;
  /** The line with its line feed; undefined when it must not be forwarded anyway. */
  readonly spool: Spool | undefined;
}

const LINE_FEED = Buffer.from('\n');

/**
 * Takes in one large line: to the spool, the envelope reader and the hash at once. Not a byte goes further.
 */
export class LargeMessage {
  readonly #maxBytes: number;
  readonly #envelope = new EnvelopeReader();
  readonly #hash = new StreamHash();
  #spool: Spool | undefined;
  #bytes = 0;
  #readable = true;
  #failure: string | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#attempt(() => {
      this.#spool = new Spool(folder);
    });
  }

  write(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#hash.update(piece);
    if (this.#readable) this.#readable = this.#envelope.push(piece);
    if (!this.#readable) this.#discard();
    else if (this.#bytes > this.#maxBytes) this.#fail(`the message is larger than ${this.#maxBytes} bytes`);
    else this.#attempt(() => this.#spool?.append(piece));
  }

  /** The line feed has come. */
  finish(): Spooled {
    this.#attempt(() => this.#spool?.append(LINE_FEED));
    const read = this.#envelope.finish();
    const judged = this.#failure === undefined ? read : tooLarge(this.#failure, read);
    if (judged.type === 'refused') this.#discard();
    return { judged, bytes: this.#bytes, streamHash: this.#hash.digestHex(), spool: this.#spool };
  }

  /** The line will never end. */
  discard(): void {
    this.#discard();
  }

  /** A full disk or a missing folder refuses this message; it does not end the session. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      this.#fail('the message cannot be held until it is decided');
    }
  }

  #fail(why: string): void {
    this.#failure ??= why;
    this.#discard();
  }

  #discard(): void {
    this.#spool?.close();
    this.#spool = undefined;
  }
}

function tooLarge(why: string, read: Message | Refusal): Refusal {
  if (read.type === 'refused') return read;
  if (read.type === 'answer') return refuse('too_large', why, { answers: [read.id] });
  return refuse('too_large', why, { ids: read.type === 'request' ? [read.id] : [], method: read.method });
}

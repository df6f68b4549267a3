import type { Readable } from 'node:stream';
import { StreamHash } from '@subluminal/core-types';
import {
  EnvelopeReader,
  Judge,
  LargeMessage,
  type Message,
  type Payload,
  type Refusal,
  type SessionLimits,
  type Stored,
} from '@subluminal/mcp';
import type { SharedRoom, Turns } from '@subluminal/gateway';

/** One message as it came, judged. */
export interface Judged {
  readonly message: Message | Refusal;
  /** What may be forwarded: exactly the bytes that were judged. */
  readonly payload: Payload;
  readonly bytes: number;
  readonly streamHash: string | undefined;
}

/** How messages are read. */
export interface ReadingLimits {
  readonly session: SessionLimits;
  /** What all of them hold in memory. */
  readonly held: SharedRoom;
  /** The turns of the event loop that all messages and streams share while they are read. */
  readonly turns: Turns;
  /** A private folder of the home. */
  readonly spoolFolder: string;
  /** How long a body may have nothing to say. */
  readonly stallMs: number;
}

/** The body ended, or stalled, before it was whole. */
export class BodyBroken extends Error {}

const JUDGE = new Judge('body');

/** Judges a message that is held in memory. */
export function judgeBytes(body: Buffer): Judged {
  const judged = JUDGE.judge(body);
  if (judged.type !== 'deep')
    return { message: judged, payload: body, bytes: body.length, streamHash: undefined };
  const reader = new EnvelopeReader();
  reader.push(body);
  const streamHash = new StreamHash().update(body).digestHex();
  return { message: reader.finish(), payload: body, bytes: body.length, streamHash };
}

/** Judges one that was too large to be held. */
export function judgeLarge(large: LargeMessage): Judged {
  const { judged, bytes, streamHash, spool } = large.finish();
  const payload = spool === undefined ? Buffer.alloc(0) : new WithoutLineFeed(spool);
  return { message: judged, payload, bytes, streamHash };
}

/**
 * Reads a body that is one message: in memory up to `maxInspectBytes`, else in a spool. One that cannot be
 * read to its end is left as it is, so that whoever sent it can still be told.
 * @throws BodyBroken
 */
export function readMessage(body: Readable, limits: ReadingLimits): Promise<Judged> {
  return new Promise((resolve, reject) => {
    const reading = new Reading(limits);
    const stop = (): void => {
      clearTimeout(stall);
      body.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      body.on('error', () => undefined);
    };
    const fail = (why: string): void => {
      stop();
      body.pause();
      reading.discard();
      reject(new BodyBroken(why));
    };
    const onBroken = (): void => fail('the body ended before it was whole');
    const onEnd = (): void => {
      stop();
      const finish = (): boolean => {
        resolve(reading.finish());
        return false;
      };
      limits.turns.work(finish).catch(reject);
    };
    const onData = (chunk: Buffer): void => {
      stall.refresh();
      if (!reading.push(chunk)) fail('too much is being read at once');
    };
    const stall = setTimeout(() => fail('the body stalled'), limits.stallMs);
    body.on('data', onData).once('end', onEnd).once('close', onBroken).once('error', onBroken);
  });
}

/** A message on its way in. */
class Reading {
  readonly #limits: ReadingLimits;
  #parts: Buffer[] = [];
  #size = 0;
  #large: LargeMessage | undefined;

  constructor(limits: ReadingLimits) {
    this.#limits = limits;
  }

  /** False when there is no room for it. */
  push(chunk: Buffer): boolean {
    const { session, held, spoolFolder } = this.#limits;
    if (this.#large === undefined && this.#size + chunk.length > session.maxInspectBytes) {
      this.#large = new LargeMessage(spoolFolder, session.maxMessageBytes);
      for (const part of this.#parts) this.#large.write(part);
      this.#release();
    }
    if (this.#large !== undefined) {
      this.#large.write(chunk);
      return true;
    }
    this.#parts.push(chunk);
    this.#size += chunk.length;
    held.add(chunk.length);
    return !held.isFull(false);
  }

  finish(): Judged {
    const body = Buffer.concat(this.#parts, this.#size);
    this.#release();
    return this.#large === undefined ? judgeBytes(body) : judgeLarge(this.#large);
  }

  discard(): void {
    this.#large?.discard();
    this.#release();
  }

  #release(): void {
    this.#limits.held.add(-this.#size);
    this.#parts = [];
    this.#size = 0;
  }
}

/** A spool without the line feed that stands at its end. */
class WithoutLineFeed implements Stored {
  readonly #spool: Stored;

  constructor(spool: Stored) {
    this.#spool = spool;
  }

  get length(): number {
    return this.#spool.length - 1;
  }

  read(position: number, size: number): Buffer {
    return this.#spool.read(position, Math.min(size, this.length - position));
  }

  close(): void {
    this.#spool.close();
  }
}

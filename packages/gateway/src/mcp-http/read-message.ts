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
import type { ByteBudget } from '../ipc/budget.js';

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
  readonly held: ByteBudget;
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

/** Reads a body that is one message: in memory up to `maxInspectBytes`, else in a spool. @throws BodyBroken */
export async function readMessage(body: Readable, limits: ReadingLimits): Promise<Judged> {
  const { session, held } = limits;
  const parts: Buffer[] = [];
  let size = 0;
  let large: LargeMessage | undefined;
  const stall = setTimeout(() => body.destroy(new BodyBroken('the body stalled')), limits.stallMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      stall.refresh();
      if (large === undefined && size + chunk.length > session.maxInspectBytes) {
        large = new LargeMessage(limits.spoolFolder, session.maxMessageBytes);
        for (const part of parts.splice(0)) large.write(part);
        held.add(-size);
        size = 0;
      }
      if (large !== undefined) large.write(chunk);
      else {
        parts.push(chunk);
        size += chunk.length;
        held.add(chunk.length);
        if (held.isFull(false)) throw new BodyBroken('too much is being read at once');
      }
    }
  } catch (error) {
    large?.discard();
    throw error instanceof BodyBroken ? error : new BodyBroken('the body ended before it was whole');
  } finally {
    clearTimeout(stall);
    held.add(-size);
  }
  return large === undefined ? judgeBytes(Buffer.concat(parts, size)) : judgeLarge(large);
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

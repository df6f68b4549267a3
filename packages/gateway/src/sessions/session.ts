import {
  canonicalize,
  isSublError,
  pushMac,
  responseMac,
  type JsonObject,
  type SessionKeys,
} from '@subluminal/core-types';
import { IsoClock } from '@subluminal/ipc';
import type { Clock } from '../base/clock.js';
import type { Caller } from '../pipeline/caller.js';
import { FrameStream } from '../pipeline/frame-stream.js';
import type { FrameDoor } from '../pipeline/pipeline.js';
import type { Reply } from '../pipeline/reply.js';
import type { Connection } from './connection.js';

export interface SessionParts {
  readonly caller: Caller;
  readonly keys: SessionKeys;
  readonly connection: Connection;
  readonly pipeline: FrameDoor;
  readonly clock: Clock;
  readonly maxFrameBytes: number;
  /** Called for an error that no stage turned into an answer. */
  readonly onFailure: (error: unknown) => void;
}

/** Stands in for an answer that no frame can hold. The action stays done, and its entry says so. */
const TOO_LARGE = {
  status: 'error',
  error: { code: 'response_too_large', message: 'the answer is larger than a frame may be' },
} as const;

/** Stands in for an answer without a canonical form, such as one with half of a character. */
const UNWRITABLE = {
  status: 'error',
  error: { code: 'in_doubt', message: 'what came of it cannot be written: its entry says how it ended' },
} as const;

/**
 * One authenticated connection: counts what comes and what goes, hands each frame to the pipeline and signs
 * each answer. A message that was dropped, repeated or moved by someone in between has the wrong place and
 * does not verify.
 */
export class Session {
  readonly caller: Caller;
  readonly #keys: SessionKeys;
  readonly #connection: Connection;
  readonly #pipeline: FrameDoor;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  readonly #maxFrameBytes: number;
  readonly #stream = new FrameStream();
  #received = 0;
  #sent = 0;
  #pending = 0;
  #ending = false;
  readonly #isoClock = new IsoClock();
  readonly #cut = (): void => {
    this.#ending = true;
  };

  constructor(parts: SessionParts) {
    this.caller = parts.caller;
    this.#keys = parts.keys;
    this.#connection = parts.connection;
    this.#pipeline = parts.pipeline;
    this.#clock = parts.clock;
    this.#onFailure = parts.onFailure;
    this.#maxFrameBytes = parts.maxFrameBytes;
  }

  /**
   * Takes one frame and answers it when it is decided. Gives a promise, which never rejects, where it is not
   * read yet: the next one comes after that.
   */
  receive(text: string, bytes: number): Promise<unknown> | undefined {
    this.#received += 1;
    if (this.#ending) {
      this.#connection.done(bytes);
      return undefined;
    }
    this.#pending += 1;
    void this.#serve(text, bytes);
    return this.#stream.reading;
  }

  async #serve(text: string, bytes: number): Promise<void> {
    try {
      const reply = await this.#pipeline.run(
        { caller: this.caller, now: this.#clock(), cut: this.#cut },
        { text, stream: this.#stream, verifyKey: this.#keys.c2s, seq: this.#received },
      );
      this.#respond(reply);
    } catch (error) {
      this.#onFailure(error);
      this.#connection.destroy();
    } finally {
      this.#pending -= 1;
      this.#connection.done(bytes);
      if (this.#ending && this.#pending === 0) this.#connection.end();
    }
  }

  /** Tells the client something that it did not ask. */
  push(event: JsonObject): void {
    this.#sent += 1;
    const body = canonicalize({ event });
    const signature = pushMac(this.#keys.s2c, { seq: this.#sent, bodyCanonical: body });
    this.#connection.send(`${body.slice(0, -1)},"signature":"${signature}"}`);
  }

  /**
   * The stream holds something that is no frame: the client is told in a signed answer to nothing, then it
   * ends.
   */
  fault(error: unknown): void {
    if (this.#ending) return;
    if (!isSublError(error)) {
      this.#connection.destroy();
      return;
    }
    const { code, message } = error;
    this.#respond({
      status: 'error',
      error: { code, message },
      requestId: '',
      requestMac: '',
      auditRef: '',
      close: true,
    });
  }

  /** Takes no more requests, answers those that are being worked on, then closes. */
  end(): void {
    this.#ending = true;
    if (this.#pending === 0) this.#connection.end();
  }

  #respond(reply: Reply): void {
    this.#sent += 1;
    const text = this.#written(reply);
    // A character has three bytes at most.
    const fits = text.length * 3 <= this.#maxFrameBytes || Buffer.byteLength(text) <= this.#maxFrameBytes;
    this.#connection.send(fits ? text : this.#sign(instead(reply, TOO_LARGE)));
    if (reply.close) this.end();
  }

  /**
   * A service's words may hold text that cannot be written. Its caller is told so; the caller's other
   * requests go on.
   */
  #written(reply: Reply): string {
    try {
      return this.#sign(reply);
    } catch (error) {
      if (!isSublError(error, 'not_canonical', 'too_deep')) throw error;
      this.#onFailure(error);
      return this.#sign(instead(reply, UNWRITABLE));
    }
  }

  /** The answer as it is sent, signed for the place that `#sent` says. */
  #sign(reply: Reply): string {
    const { requestId, status, auditRef } = reply;
    const timestamp = this.#isoClock.textOf(this.#clock());
    const body = canonicalize(bodyOf(reply));
    const signature = responseMac(this.#keys.s2c, {
      seq: this.#sent,
      requestId,
      requestMac: reply.requestMac,
      timestamp,
      status,
      auditRef,
      bodyCanonical: body,
    });
    // The signed text itself is sent: data with exact numbers has no other faithful form. Clients read the
    // head in this order without parsing it (`signed-text.ts`).
    const head = JSON.stringify({ requestId, timestamp, status, auditRef, signature });
    return body === '{}' ? head : `${head.slice(0, -1)},${body.slice(1)}`;
  }
}

function bodyOf({ data, error }: Reply): unknown {
  if (error === undefined) return data === undefined ? {} : { data };
  return data === undefined ? { error } : { data, error };
}

/** The answer that is bound to the same request, and says this instead. */
function instead(
  { requestId, requestMac, auditRef, close }: Reply,
  told: typeof TOO_LARGE | typeof UNWRITABLE,
): Reply {
  return { ...told, requestId, requestMac, auditRef, close };
}

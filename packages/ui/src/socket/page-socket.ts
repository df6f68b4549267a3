import Wire from 'ws';
import type { ByeCode, GatewayFrame, PageFrame } from '../protocol/socket.js';
import type { State } from '../protocol/state.js';
import type { FeedHandle, Reader } from '../reader/reader.js';
import type { UiSession } from '../session/sessions.js';
import { readFrame } from './frames.js';

/** A page whose machine slept or is busy is no stranger: it connects again. */
const HELLO_MS = 5000;
const ACK_MS = 30_000;
const MAX_BUFFERED = 4 * 1024 * 1024;
/** Frames that a page may send within a second; it acknowledges sixty. */
const MAX_FRAMES = 256;

export interface PageSocketParts {
  readonly ledgerId: string;
  readonly head: () => number;
  readonly reader: Pick<Reader, 'feed'>;
  /** The session of a token. @throws UiRefusal */
  readonly sessionOf: (token: string) => UiSession;
  readonly now: () => number;
}

/** One open page: it shows its token with the first frame, and is then told of the ledger as it grows. */
export class PageSocket {
  readonly #socket: Wire;
  readonly #parts: PageSocketParts;
  #session: UiSession | undefined;
  #feed: FeedHandle | undefined;
  #sent = 0;
  #acked = 0;
  #ackTimer: NodeJS.Timeout | undefined;
  readonly #helloTimer: NodeJS.Timeout;
  #second = { since: 0, frames: 0 };
  #toldState = '';
  #isAlive = true;

  constructor(socket: Wire, parts: PageSocketParts, onClose: () => void) {
    this.#socket = socket;
    this.#parts = parts;
    this.#helloTimer = setTimeout(() => this.bye('too_slow', 'no token was shown in time'), HELLO_MS);
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('message', (data, isBinary) => {
      // Whatever it brings, it ends this page at the most.
      if (isBinary || !Buffer.isBuffer(data)) this.bye('bad_frame', 'frames are text');
      else this.#take(data.toString('utf8'));
    });
    socket.once('close', () => {
      clearTimeout(this.#helloTimer);
      clearTimeout(this.#ackTimer);
      this.#feed?.close();
      onClose();
    });
  }

  /** The session that it has shown the token of. */
  get session(): UiSession | undefined {
    return this.#session;
  }

  /** Tells the state where it is another one than before. */
  tellState(state: State): void {
    const frame = JSON.stringify({ t: 'state', state } satisfies GatewayFrame);
    if (frame === this.#toldState) return;
    this.#toldState = frame;
    this.#send(frame);
  }

  /** Asks whether the other end is still there; drops it if it did not answer the last time. */
  ping(): void {
    if (!this.#isAlive) this.#socket.terminate();
    this.#isAlive = false;
    if (this.#socket.readyState === Wire.OPEN) this.#socket.ping();
  }

  /** Says why, and closes. */
  bye(code: ByeCode, message: string): void {
    clearTimeout(this.#helloTimer);
    this.#feed?.close();
    if (this.#socket.readyState !== Wire.OPEN) return;
    this.#socket.send(JSON.stringify({ t: 'bye', code, message } satisfies GatewayFrame));
    this.#socket.close(1000);
    // One that does not close is dropped.
    setTimeout(() => this.#socket.terminate(), 1000).unref();
  }

  #take(text: string): void {
    const now = this.#parts.now();
    if (now - this.#second.since > 1000) this.#second = { since: now, frames: 0 };
    this.#second.frames += 1;
    const frame = this.#second.frames > MAX_FRAMES ? undefined : readFrame(text);
    if (frame === undefined) this.bye('bad_frame', 'the frame cannot be read, or comes too fast');
    else if (this.#session === undefined) this.#hello(frame);
    else this.#follow(frame);
  }

  #hello(frame: PageFrame): void {
    clearTimeout(this.#helloTimer);
    const { head, ledgerId, reader, sessionOf } = this.#parts;
    let session: UiSession;
    try {
      if (frame.t !== 'hello') throw new Error('the first frame is `hello`');
      session = sessionOf(frame.token);
    } catch (error) {
      this.bye('no_session', error instanceof Error ? error.message : 'no session');
      return;
    }
    this.#session = session;
    const welcome = { t: 'welcome', ledger: ledgerId, head: head(), session: session.id } as const;
    this.#send(JSON.stringify(welcome satisfies GatewayFrame));
    const { credit, filter, from } = frame;
    this.#feed = reader.feed(
      { credit, filter, from },
      {
        frame: (kind, text) => this.#pass(kind, text),
        lost: () => this.bye('restart', 'the reader of the ledger ended'),
      },
    );
  }

  #follow(frame: PageFrame): void {
    switch (frame.t) {
      case 'ack':
        this.#acked = Math.max(this.#acked, frame.n);
        this.#awaitAck();
        this.#feed?.ack(frame.n);
        return;
      case 'pause':
        this.#feed?.pause();
        return;
      case 'resume':
        this.#feed?.resume(frame.from);
        return;
      case 'hello':
        this.bye('bad_frame', 'the token was shown already');
    }
  }

  #pass(kind: string, text: string): void {
    if (kind === 'rows') {
      this.#sent += 1;
      if (this.#ackTimer === undefined) this.#awaitAck();
    }
    this.#send(text);
    if (kind === 'bye') this.#socket.close(1000);
  }

  #awaitAck(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    if (this.#acked >= this.#sent) return;
    this.#ackTimer = setTimeout(() => this.bye('no_ack', 'nothing was acknowledged'), ACK_MS);
  }

  #send(text: string): void {
    if (this.#socket.readyState !== Wire.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED) {
      this.#socket.terminate();
      return;
    }
    this.#socket.send(text);
  }
}

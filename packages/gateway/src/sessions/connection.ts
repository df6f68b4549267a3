import type { Socket } from 'node:net';
import { encodeFrame, FrameDecoder, nextTurn } from '@subluminal/core-types';
import { LARGE_FRAME } from '../pipeline/call.js';
import { Admission, type AdmissionParts } from './admission.js';
import type { SharedRoom } from './shared-room.js';
import type { PeerLimits } from './limits.js';

/** Told to the owner of a connection. */
export interface ConnectionEvents {
  /** Gives what the next frame waits for: that this one is read. */
  onFrame(text: string, bytes: number): Promise<unknown> | undefined;
  /** The peer sent something that is no frame, or stalled: what comes after it cannot be trusted. */
  onFault(error: unknown): void;
}

interface WaitingFrame {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Frames over one authenticated socket, in bounded memory both ways. A peer that stalls inside a frame, or
 * does not read its answers, is dropped after a deadline; one that asks faster than it is served is not read
 * for a while.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #limits: PeerLimits;
  readonly #budgets: readonly SharedRoom[];
  readonly #admission: Admission;
  readonly #operator: boolean;
  readonly #events: ConnectionEvents;
  readonly #decoder: FrameDecoder;
  readonly #resumeLater = (): void => this.#pump();
  /** Frames of the last read that wait for their turn; the socket is not read while there are any. */
  #waiting: WaitingFrame[] = [];
  #pumping = false;
  /** The frame that was handed on last is still read, or large: the next one keeps its place behind it. */
  #resting = false;
  #inFlight = 0;
  #buffered = 0;
  #paused = false;
  #gathering = false;
  #stall: NodeJS.Timeout | undefined;
  #unread: NodeJS.Timeout | undefined;

  constructor(
    socket: Socket,
    options: AdmissionParts & {
      readonly limits: PeerLimits;
      /** Its bytes count against these: the whole gateway's room, and its run's own. */
      readonly budgets: readonly SharedRoom[];
      readonly events: ConnectionEvents;
    },
  ) {
    this.#socket = socket;
    this.#limits = options.limits;
    this.#budgets = options.budgets;
    this.#admission = new Admission(options, this.#resumeLater);
    this.#operator = options.operator;
    this.#events = options.events;
    this.#decoder = new FrameDecoder({ maxBytes: options.limits.maxFrameBytes });
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('drain', () => this.#drained());
    socket.once('close', () => this.#release());
  }

  /** Takes bytes of the peer, also those that came with its handshake. */
  take(chunk: Buffer): void {
    if (chunk.length === 0) return;
    let texts: string[];
    try {
      texts = this.#decoder.push(chunk);
    } catch (error) {
      this.#events.onFault(error);
      return;
    }
    this.#count();
    if (texts.length > 0) this.#clearStall();
    for (const text of texts) {
      // Two bytes a character is what the text itself costs; the chunk is gone by now.
      const bytes = text.length * 2;
      this.#charge(bytes);
      this.#waiting.push({ text, bytes });
    }
    this.#pump();
  }

  /** A frame that `onFrame` gave has been answered. */
  done(bytes: number): void {
    this.#inFlight -= 1;
    this.#charge(-bytes);
    this.#admission.leave();
    if (this.#paused) this.#pump();
  }

  /** Sends a frame. Drops a peer for whom too much waits already. */
  send(text: string): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    const frame = encodeFrame(text, this.#limits.maxFrameBytes);
    if (this.#socket.writableLength + frame.length > this.#limits.maxOutgoingBytes) {
      this.#socket.destroy();
      return;
    }
    this.#gather();
    if (!this.#socket.write(frame)) this.#dropUnread();
  }

  /** Ends the connection once what was sent has left; a peer that does not read has until the deadline. */
  end(): void {
    if (this.#socket.destroyed) return;
    this.#socket.end();
    this.#dropUnread();
  }

  /** Drops the connection now. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Hands on what waits, in its order, as far as there are places and this turn has time. */
  #pump(): void {
    // A frame may be done before `onFrame` returns.
    if (this.#pumping) return;
    this.#pumping = true;
    let next = 0;
    for (; next < this.#waiting.length && this.#mayHandOn; next += 1) {
      const frame = this.#waiting[next];
      if (frame === undefined || this.#socket.destroyed) break;
      this.#inFlight += 1;
      this.#admission.enter(frame.text.length);
      const reading = this.#events.onFrame(frame.text, frame.bytes);
      if (reading !== undefined || frame.text.length > LARGE_FRAME) void this.#rest(reading);
    }
    this.#waiting = this.#waiting.slice(next);
    this.#pumping = false;
    if (this.#socket.destroyed) this.#forgetWaiting();
    else this.#readOrPause();
    // `#readOrPause` has paused the socket: nothing else would wake what waits only for time.
    if (this.#waiting.length > 0 && this.#hasRoom && !this.#resting) this.#admission.wait();
  }

  get #mayHandOn(): boolean {
    return !this.#resting && this.#hasRoom && this.#admission.mayGo;
  }

  /** Until the frame is read and has gone on, in the turn that it has asked for before this asks. */
  async #rest(reading: Promise<unknown> | undefined): Promise<void> {
    this.#resting = true;
    if (reading !== undefined) await reading.then(nextTurn);
    await nextTurn();
    this.#resting = false;
    this.#pump();
  }

  get #hasRoom(): boolean {
    return this.#inFlight < this.#limits.maxInFlight;
  }

  #forgetWaiting(): void {
    for (const { bytes } of this.#waiting.splice(0)) this.#charge(-bytes);
  }

  #charge(bytes: number): void {
    for (const budget of this.#budgets) budget.add(bytes);
  }

  /** Answers that one commit releases leave in one system call instead of one each. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#gathering = false;
      this.#socket.uncork();
    });
  }

  #count(): void {
    this.#charge(this.#decoder.buffered - this.#buffered);
    this.#buffered = this.#decoder.buffered;
  }

  /** Decides whether the socket is read, and whether a deadline runs for an unfinished frame. */
  #readOrPause(): void {
    if (this.#socket.destroyed) return;
    const full = this.#budgets.find((budget) => budget.isFull(this.#operator));
    const place = this.#admission.fullPlace;
    const busy = !this.#hasRoom || place !== undefined || this.#waiting.length > 0;
    if (full !== undefined || busy) {
      if (!this.#paused) this.#socket.pause();
      this.#paused = true;
      full?.wait(this.#resumeLater);
      place?.wait(this.#resumeLater);
    } else if (this.#paused) {
      this.#paused = false;
      this.#socket.resume();
    }
    // While we ourselves do not read because this peer is busy, it is not the one who stalls. When all memory
    // is taken the deadline runs on: unfinished frames may be what takes it.
    if (this.#buffered > 0 && !(busy && full === undefined)) {
      this.#stall ??= setTimeout(() => this.#socket.destroy(), this.#limits.stallDeadlineMs);
    } else {
      this.#clearStall();
    }
  }

  #clearStall(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }

  /** Drops the peer, unless it has read what waits for it by the deadline. */
  #dropUnread(): void {
    this.#unread ??= setTimeout(() => this.#socket.destroy(), this.#limits.stallDeadlineMs);
  }

  #drained(): void {
    if (this.#socket.writableEnded) return;
    clearTimeout(this.#unread);
    this.#unread = undefined;
  }

  #release(): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#unread);
    for (const budget of this.#budgets) budget.forget(this.#resumeLater);
    this.#admission.forget();
    if (!this.#pumping) this.#forgetWaiting();
    this.#charge(-this.#buffered);
    this.#buffered = 0;
  }
}

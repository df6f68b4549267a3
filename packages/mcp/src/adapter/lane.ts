import type { Writable } from 'node:stream';
import { TurnWriter } from '@subluminal/ipc';
import type { Outbox, Payload, Place, Room, Stored } from './outbox.js';

const CHUNK_BYTES = 65_536;

export interface LaneOptions {
  readonly output: Writable;
  /** Above this many waiting bytes, in memory or spooled, or this many places, the lane asks for a pause. */
  readonly maxBytes: number;
  readonly maxSpooledBytes: number;
  readonly maxPlaces: number;
  /** True: take no more for this lane; false: go on. */
  readonly onPressure: (high: boolean) => void;
  /** The same for what we say ourselves: its reader asks for more of it than it reads. */
  readonly onOwnPressure: (high: boolean) => void;
}

/** Answers of our own that may wait for a reader before nothing more is taken from it. */
const MAX_OWN_BYTES = 1_048_576;

class LanePlace implements Place {
  readonly #lane: Lane;
  readonly room: Room;
  #state: 'waiting' | 'ready' | 'dropped' = 'waiting';
  payload: Payload | undefined;

  constructor(lane: Lane, room: Room) {
    this.#lane = lane;
    this.room = room;
  }

  get waiting(): boolean {
    return this.#state === 'waiting';
  }

  send(payload: Payload): void {
    this.#settle('ready', payload);
  }

  drop(): void {
    this.#settle('dropped', undefined);
  }

  #settle(state: 'ready' | 'dropped', payload: Payload | undefined): void {
    if (this.#state !== 'waiting') throw new Error('a place was settled twice');
    this.#state = state;
    this.payload = payload;
    this.#lane.flush();
  }
}

/**
 * One direction of a session. Messages leave in the order in which they came, however long each is decided,
 * and no faster than the other side reads.
 */
export class Lane implements Outbox {
  readonly #options: LaneOptions;
  /** Messages of the same turn of the event loop leave in one system call. */
  readonly #writer: TurnWriter;
  readonly #places: LanePlace[] = [];
  readonly #emptyWaiters: (() => void)[] = [];
  #queuedBytes = 0;
  #spooledBytes = 0;
  #ownBytes = 0;
  #ownPressure = false;
  #pressure = false;
  #broken = false;
  #streaming: { readonly spool: Stored; position: number } | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#writer = new TurnWriter({ output: options.output, onDrain: () => this.flush() });
  }

  reserve(room: Room): Place {
    const place = new LanePlace(this, room);
    this.#places.push(place);
    this.#count(room, 1);
    this.#checkPressure();
    return place;
  }

  /** The other side is gone: what waits, and whatever comes, is thrown away. */
  break(): void {
    this.#broken = true;
    this.#writer.discard();
    this.#streaming?.spool.close();
    this.#streaming = undefined;
    this.flush();
  }

  /** Resolves when every place is settled and all bytes are handed to the system, or the lane is broken. */
  async empty(): Promise<void> {
    if (this.#places.length > 0 || this.#streaming !== undefined) {
      await new Promise<void>((resolve) => this.#emptyWaiters.push(resolve));
    }
    if (this.#broken || this.#writer.waiting === 0) return;
    this.#writer.flush();
    await new Promise<void>((resolve) => {
      this.#options.output.once('close', resolve).write('', () => resolve());
    });
  }

  /** Messages that may leave do so now, and not at the end of the turn: the output is about to be closed. */
  handOver(): void {
    this.#writer.flush();
  }

  /** Writes what can be written. */
  flush(): void {
    while (!this.#writer.full || this.#broken) {
      if (this.#streaming !== undefined) {
        this.#stream(this.#streaming);
        continue;
      }
      const [first] = this.#places;
      if (first === undefined || first.waiting) break;
      this.#places.shift();
      this.#count(first.room, -1);
      this.#forward(first.payload);
    }
    this.#checkPressure();
    if (this.#emptyWaiters.length > 0 && this.#places.length === 0 && this.#streaming === undefined) {
      for (const resolve of this.#emptyWaiters.splice(0)) resolve();
    }
  }

  #forward(payload: Payload | undefined): void {
    if (payload === undefined) return;
    if (!Buffer.isBuffer(payload)) {
      if (this.#broken) payload.close();
      else this.#streaming = { spool: payload, position: 0 };
    } else this.#write(payload);
  }

  #stream(streaming: { readonly spool: Stored; position: number }): void {
    const { spool } = streaming;
    const chunk = spool.read(streaming.position, CHUNK_BYTES);
    streaming.position += chunk.length;
    if (streaming.position >= spool.length) {
      spool.close();
      this.#streaming = undefined;
    }
    this.#write(chunk);
  }

  #write(bytes: Buffer): void {
    if (!this.#broken) this.#writer.write(bytes);
  }

  #count({ held, spooled, own }: Room, sign: 1 | -1): void {
    this.#queuedBytes += sign * held;
    this.#spooledBytes += sign * spooled;
    if (own) this.#ownBytes += sign * held;
  }

  #checkPressure(): void {
    const own = this.#ownBytes > MAX_OWN_BYTES && !this.#broken;
    if (own !== this.#ownPressure) {
      this.#ownPressure = own;
      this.#options.onOwnPressure(own);
    }
    const { maxBytes, maxSpooledBytes, maxPlaces, output } = this.#options;
    // Without what the writer gathers, which is little and leaves with this turn: nobody would look again
    // behind it.
    const bytes = this.#queuedBytes + output.writableLength;
    // Half of the limit before going on, so that a pause is not taken back at the next byte.
    const factor = this.#pressure ? 0.5 : 1;
    const full =
      bytes > maxBytes * factor ||
      this.#spooledBytes > maxSpooledBytes * factor ||
      this.#places.length > maxPlaces * factor;
    const high = full && !this.#broken;
    if (high === this.#pressure) return;
    this.#pressure = high;
    this.#options.onPressure(high);
  }
}

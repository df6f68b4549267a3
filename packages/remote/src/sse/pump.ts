import { LargeMessage } from '@subluminal/mcp';
import type { StreamAnswer } from '@subluminal/egress';
import type { HttpLimits } from '../limits.js';
import type { ReadingLimits } from '../client/read-message.js';
import { SseReader, StreamBroken, type ServerEvent } from './reader.js';

export interface EventPumpOptions {
  readonly reading: ReadingLimits;
  readonly limits: HttpLimits;
  /** Asked before anything that has come is read on: rejects where nothing more of it may be. */
  readonly mayGoOn: () => Promise<void> | undefined;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onComment: () => void;
}

/**
 * Reads a server's stream to its end, no faster than its client takes the events, and in turns with all other
 * streams.
 */
export class EventPump {
  readonly #options: EventPumpOptions;
  #paused = false;
  #isGone = false;
  #resume: (() => void) | undefined;

  constructor(options: EventPumpOptions) {
    this.#options = options;
  }

  /** The client reads more slowly than the server writes, or goes on. */
  pressure(high: boolean): void {
    this.#paused = high;
    if (!high) this.#resume?.();
  }

  /** Nobody waits for the client any more. */
  wake(): void {
    this.#isGone = true;
    this.#resume?.();
  }

  /** Resolves with the end of the stream; rejects where it broke, and the connection is ended either way. */
  async run(found: StreamAnswer): Promise<void> {
    const { reading, limits, mayGoOn, onEvent, onComment } = this.#options;
    const reader = new SseReader({
      maxInspectBytes: reading.session.maxInspectBytes,
      maxFieldBytes: limits.maxFieldBytes,
      held: reading.held,
      openLarge: () => new LargeMessage(reading.spoolFolder, reading.session.maxMessageBytes),
      onEvent,
      onComment,
    });
    const idle = setTimeout(
      () => found.body.destroy(new StreamBroken('the stream was idle')),
      limits.idleStreamMs,
    );
    try {
      for await (const chunk of found.body as AsyncIterable<Buffer>) {
        idle.refresh();
        await mayGoOn();
        reader.feed(chunk);
        do {
          await reading.turns.work(() => !this.#paused && !this.#isGone && reader.step());
          if (this.#paused && !this.#isGone) await new Promise<void>((resolve) => (this.#resume = resolve));
        } while (reader.hasMore && !this.#isGone);
      }
    } finally {
      clearTimeout(idle);
      reader.end();
      found.close();
    }
  }
}

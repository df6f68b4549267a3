import { Intake } from '../../../packages/shim/dist/adapter/intake.js';
import type { LargeMessage } from '../../../packages/mcp/dist/spool/large-message.js';
import { chunks, promise, type Target } from '../engine/target.js';

const MAX_INSPECT = 24;

/** Collects what a large message is given. */
class Collected {
  readonly #parts: Buffer[] = [];
  ended = false;

  write(piece: Buffer): void {
    this.#parts.push(Buffer.from(piece));
  }

  discard(): void {
    this.ended = true;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/**
 * The splitter of lines: line feeds and nothing else, wherever the stream is cut; half a line is no message.
 */
export const lines: Target = {
  name: 'lines',
  seeds: [
    '{"a":1}\n{"b":2}\n',
    '\n\n\r\n',
    `${'x'.repeat(23)}\n${'y'.repeat(24)}\n${'z'.repeat(25)}\nhalf`,
    '\u2028\u0085\v\f\n',
  ].map((text) => Buffer.from(text)),
  words: ['\n', '\r', '\r\n', '\u2028', 'xxxxxxxxxxxxxxxxxxxxxxxx', '\0'],
  maxBytes: 512,
  run(input, random) {
    const taken: string[] = [];
    const opened: Collected[] = [];
    const intake = new Intake({
      maxInspectBytes: MAX_INSPECT,
      onLine: (line) => {
        promise(
          line.at(-1) === 0x0a && line.length <= MAX_INSPECT + 1,
          'a line ends with its line feed and is small',
        );
        taken.push(line.subarray(0, -1).toString('latin1'));
      },
      openLarge: () => {
        const large = new Collected();
        opened.push(large);
        return large as unknown as LargeMessage;
      },
      onLarge: (large) => {
        const { bytes } = large as unknown as Collected;
        promise(bytes.length > MAX_INSPECT, 'only what is large is treated so');
        taken.push(bytes.toString('latin1'));
      },
    });
    for (const chunk of chunks(input, random)) {
      intake.push(chunk);
      // The socket's buffer is used again: a line that still points into it would change.
    }
    intake.end();
    const expected = input.toString('latin1').split('\n').slice(0, -1);
    promise(JSON.stringify(taken) === JSON.stringify(expected), 'the lines do not depend on the chunks');
    return expected.length > 0;
  },
};

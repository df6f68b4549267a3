import { exactMask, hiddenMark, type HiddenValue, writingsOf } from '@subluminal/core-types';
import { ValueMask } from './value-mask.js';
import type { Pattern } from './value-tree.js';

/** A secret that a server has. */
export interface HeldSecret extends HiddenValue {
  /** Taken out of what the client is told as well. */
  readonly redact: boolean;
}

/** The secrets of a shim's server: known shortly before it starts, and kept in memory alone. */
export class ServerSecrets {
  #held: readonly HeldSecret[] = [];
  #mask: ((text: string) => string) | undefined;
  #gone = false;

  /** The server is started with these. */
  take(held: readonly HeldSecret[]): void {
    this.#held = held;
    this.#mask = exactMask(held);
  }

  get all(): readonly HeldSecret[] {
    return this.#held;
  }

  /** A text as it may be recorded. */
  readonly hide = (text: string): string => this.#mask?.(text) ?? text;

  /** Nothing has to be told of them any more. */
  serverGone(): void {
    this.#gone = true;
  }

  /** What a gateway has to be told. */
  get told(): readonly HeldSecret[] {
    return this.#gone ? [] : this.#held;
  }

  readonly holds = (text: string): boolean => this.#mask !== undefined && this.#mask(text) !== text;

  /** Takes them out of what the server writes to its client; undefined where nothing is to be taken out. */
  messageMask(): ValueMask | undefined {
    // Escapes of JSON are read; a result whose text is JSON has one more around.
    return this.#masking((value) => writingsOf(value).slice(-2), { json: true });
  }

  /** The same for its standard error: plain text, or JSON. */
  plainMask(): ValueMask | undefined {
    return this.#masking(writingsOf, { json: false });
  }

  #masking(
    writings: (value: string) => readonly string[],
    how: { readonly json: boolean },
  ): ValueMask | undefined {
    const patterns: Pattern[] = this.#held
      .filter(({ redact }) => redact)
      .flatMap(({ name, value }) =>
        writings(value).map((text) => ({ bytes: Buffer.from(text), mark: Buffer.from(hiddenMark(name)) })),
      );
    return patterns.length === 0 ? undefined : new ValueMask(patterns, how);
  }
}

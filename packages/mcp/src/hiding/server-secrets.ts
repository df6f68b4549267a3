import {
  exactSpans,
  type FindValues,
  hiddenMark,
  type HiddenValue,
  NO_VALUES,
  withoutValues,
  writingsOf,
} from '@subluminal/core-types';
import { ValueMask } from './value-mask.js';
import type { Pattern } from './value-tree.js';

/** A secret that a server has. */
export interface HeldSecret extends HiddenValue {
  /** Taken out of what the client is told as well. */
  readonly redact: boolean;
}

/** The secrets that one server has, kept in memory alone. */
export class ServerSecrets {
  #held: readonly HeldSecret[] = [];
  #find = NO_VALUES;
  #gone = false;

  /** The server has these from now on. */
  take(held: readonly HeldSecret[]): void {
    this.#held = held;
    this.#find = held.length === 0 ? NO_VALUES : exactSpans(held);
  }

  get all(): readonly HeldSecret[] {
    return this.#held;
  }

  /** A text as it may be recorded. */
  readonly hide = (text: string): string => withoutValues(text, this.#find);

  readonly values: FindValues = (text, cut) => this.#find(text, cut);

  /** Nothing has to be told of them any more. */
  serverGone(): void {
    this.#gone = true;
  }

  /** The secrets that a gateway has to be told of. */
  get told(): readonly HeldSecret[] {
    return this.#gone ? [] : this.#held;
  }

  readonly holds = (text: string): boolean => this.#find(text, true).length > 0;

  /**
   * Takes them out of what the server writes to its client, one mask after the other; none where nothing is
   * to be taken out.
   */
  messageMasks(): readonly ValueMask[] {
    return [
      // Escapes of JSON are read; a result whose text is JSON has one more around.
      ...this.#masking((value) => writingsOf(value).slice(-2), { json: true }),
      // In that text they may be any: libraries for the web write `/`, `<` or `+` as escapes.
      ...this.#masking((value) => [value], { json: true, nested: true }),
    ];
  }

  /** The same for its standard error: plain text, or JSON. */
  errorMasks(): readonly ValueMask[] {
    return [...this.#masking(writingsOf, { json: false }), ...this.messageMasks()];
  }

  #masking(
    writings: (value: string) => readonly string[],
    how: { readonly json: boolean; readonly nested?: boolean },
  ): readonly ValueMask[] {
    const patterns: Pattern[] = this.#held
      .filter(({ redact }) => redact)
      .flatMap(({ name, value }) =>
        writings(value).map((text) => ({ bytes: Buffer.from(text), mark: Buffer.from(hiddenMark(name)) })),
      );
    return patterns.length === 0 ? [] : [new ValueMask(patterns, how)];
  }
}

/** The mark in place of a secret. */
export const MASK = '[REDACTED]';

/** A secret in a text: from `start` (inclusive) to `end` (exclusive), in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/// <reference lib="es2024.string" preserve="true" />

/** Tells whether `text` has no lone surrogate, so that its UTF-8 form is `text` and nothing else. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** `text` with every lone surrogate replaced by U+FFFD. */
export function toWellFormed(text: string): string {
  return text.toWellFormed();
}

/**
 * The first `max` UTF-16 units of a foreign text, well-formed also where that cuts a character in two: halves
 * can be neither recorded nor signed.
 */
export function startOf(text: string, max: number): string {
  return toWellFormed(text.slice(0, max));
}

/**
 * The start of a foreign text for a message: short, and well-formed, since messages are signed as canonical
 * JSON.
 */
export function excerpt(text: string): string {
  return startOf(text, 40);
}

/** A text as a basic string that stays on its line. */
export function quoted(text: string): string {
  // TOML reads JSON's escapes the same way, and escapes the delete character as well.
  return JSON.stringify(text).replaceAll('\u007F', '\\u007f');
}

/** A text as one part of a key: bare where it can be. */
export function keyText(text: string): string {
  return /^[A-Za-z0-9_-]+$/.test(text) ? text : quoted(text);
}

/**
 * How many commas, colons and opening brackets a frame may have outside of its strings. A message of 1 MiB that a shim
 * inspects has at most two for three characters, so none is refused for them. Frames may be longer for long strings, which cost
 * next to nothing: time goes with the parts, and eight megabytes of `{},` would hold up everybody for seconds.
 */
export const MAX_FRAME_PARTS = 768 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Tells whether `text` has more than `limit` parts. On a text that is not JSON the answer means nothing else. */
export function hasMoreParts(text: string, limit: number = MAX_FRAME_PARTS): boolean {
  // So few characters cannot be more parts.
  if (text.length <= limit) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // , : [ {
    else if (code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b) {
      parts += 1;
      if (parts > limit) return true;
    }
  }
  return false;
}

/** The index of the quote that ends the string which opens at `start`, or of the end of the text. Linear in its length. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return text.length;
}

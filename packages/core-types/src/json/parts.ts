/**
 * The most parts that a frame may have: commas and opening brackets outside of its strings, members of
 * objects, each of which counts as eleven, and every sixteen characters of it. Time grows with all of them,
 * and most with the members, which are sorted and looked up one by one.
 */
const MAX_FRAME_PARTS = 832 * 1024;

/** As many commas, brackets and members a frame may have however long it is. */
const MIN_FRAME_PARTS = 192 * 1024;
const CHARACTERS_A_PART = 16;

/**
 * The most parts that an inspected message may have, its length not counted: the frame that carries one has
 * others besides. Elements, two for three characters, never reach it.
 */
export const MAX_MESSAGE_PARTS = 704 * 1024;

const MEMBER_PARTS = 11;
/** The most parts that one character of JSON can make, as in `{"":{"":`. */
const CHARACTER_PARTS = 3;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Tells whether reading `text` as one frame would keep everybody else waiting for too long. */
export function isOverFrameParts(text: string): boolean {
  const length = Math.floor(text.length / CHARACTERS_A_PART);
  return hasMoreParts(text, Math.max(MIN_FRAME_PARTS, MAX_FRAME_PARTS - length));
}

/**
 * Tells whether `text` has more than `limit` parts, its length not counted. The answer means nothing else for
 * a text that is not JSON.
 */
export function hasMoreParts(text: string, limit: number): boolean {
  // So few characters cannot be more parts.
  if (text.length * CHARACTER_PARTS <= limit) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // , [ { and :
    else if (code === 0x2c || code === 0x5b || code === 0x7b) parts += 1;
    else if (code === 0x3a) parts += MEMBER_PARTS;
    if (parts > limit) return true;
  }
  return false;
}

/**
 * The index of the quote that ends the string which opens at `start`, or of the end of the text. It takes
 * linear time.
 */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return text.length;
}

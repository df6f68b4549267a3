/**
 * Orders two well-formed strings by Unicode code point: negative, zero or positive. This is the order of
 * their UTF-8 bytes; it differs from `<` (UTF-16 units) where a character beyond U+FFFF meets one of
 * U+E000–U+FFFF.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const unitA = a.charCodeAt(at);
    const unitB = b.charCodeAt(at);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/**
 * Moves the surrogates above every other unit; within a pair the units already order as their code points do.
 */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

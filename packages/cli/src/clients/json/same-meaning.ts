import type { JsonNode } from './tree.js';

/**
 * Whether two values mean the same: the order of keys, layout, escapes and spellings of a number do not count. Numbers
 * are compared as a client keeps them that reads doubles and writes them anew.
 */
export function sameMeaning(leftText: string, left: JsonNode, rightText: string, right: JsonNode): boolean {
  if (left.kind === 'object') {
    if (right.kind !== 'object' || left.members.length !== right.members.length) return false;
    const others = new Map(right.members.map((member) => [member.key, member.value]));
    return left.members.every(({ key, value }) => {
      const other = others.get(key);
      return other !== undefined && sameMeaning(leftText, value, rightText, other);
    });
  }
  if (left.kind === 'array') {
    return (
      right.kind === 'array' &&
      left.items.length === right.items.length &&
      left.items.every((item, index) => {
        const other = right.items[index];
        return other !== undefined && sameMeaning(leftText, item, rightText, other);
      })
    );
  }
  if (left.kind === 'string') return right.kind === 'string' && left.value === right.value;
  return (
    right.kind === 'plain' &&
    plainMeaning(leftText.slice(left.start, left.end)) ===
      plainMeaning(rightText.slice(right.start, right.end))
  );
}

/** A number as the double that it is read as; a word as itself. */
function plainMeaning(source: string): string {
  return /^[tfn]/.test(source) ? source : String(Number(source));
}

import type { JsonNode } from './tree.js';

/**
 * Whether two values mean the same. The order of keys, layout, escapes and spellings of a number do not
 * count. Numbers are compared as a client keeps them that reads doubles and writes them anew.
 */
export function sameMeaning(left: JsonNode, right: JsonNode): boolean {
  return meaningOf(left) === meaningOf(right);
}

function meaningOf(node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const members = node.members.map(({ key, value }) => `${JSON.stringify(key)}:${meaningOf(value)}`);
      return `{${members.toSorted().join()}}`;
    }
    case 'array':
      return `[${node.items.map((item) => meaningOf(item)).join()}]`;
    case 'string':
    case 'plain':
      return JSON.stringify(node.value);
  }
}

import type { TomlDocument } from './document.js';
import type { SectionNode } from './nodes.js';

/** The lines of a document that hold all there is of one table of the second level, and nothing else. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Tells in which part a value stands or has its place, so that a change of it need not look at the whole document. Undefined
 * where that is not sure: sections of the table lie apart or at the very end of the text, or it is (also) named by a
 * dotted key or an inline table of a section above, or by a list of tables.
 */
export function partsOf({ text, sections }: TomlDocument): (path: readonly string[]) => Part | undefined {
  const parts = new Map<string, Part | undefined>();
  const above = new Set<string>();
  let last: string | undefined;
  for (const [index, section] of sections.entries()) {
    const path = section.header?.path.map((part) => part.text) ?? [];
    const key = path.length < 2 ? undefined : keyOf(path);
    if (section.header === undefined || key === undefined) {
      for (const name of namedAbove(section, path)) above.add(name);
    } else if (parts.has(key) && last !== key) {
      parts.set(key, undefined);
    } else if (!parts.has(key) || parts.get(key) !== undefined) {
      const next = sections[index + 1]?.header;
      const isSure = next !== undefined && !section.header.list;
      const start = parts.get(key)?.start ?? startOfLine(text, section.header.start);
      parts.set(key, isSure ? { start, end: startOfLine(text, next.start) } : undefined);
    }
    last = key;
  }
  return (path) => {
    const [table = ''] = path;
    // The whole second table is more than a part of it.
    if (path.length < 3 || above.has(JSON.stringify([table])) || above.has(keyOf(path))) return undefined;
    return parts.get(keyOf(path));
  };
}

/** Tables that pairs of a section of the first level reach into: by one name where all below it may be meant. */
function namedAbove({ pairs }: SectionNode, base: readonly string[]): readonly string[] {
  return pairs.map(({ key }) => {
    const path = [...base, ...key.map((part) => part.text)];
    return path.length < 2 ? JSON.stringify(path) : keyOf(path);
  });
}

function keyOf([table = '', name = '']: readonly string[]): string {
  return JSON.stringify([table, name]);
}

function startOfLine(text: string, at: number): number {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  return from === 0 && text.startsWith('\uFEFF') ? 1 : from;
}

import type { InlineNode, PairNode, SectionNode } from './nodes.js';

/** One pair of a document, by its whole path, with what holds it. */
export interface Place {
  readonly path: readonly string[];
  readonly pair: PairNode;
  readonly holder: SectionNode | InlineNode;
}

/**
 * Every pair of a document in its order, those inside of inline tables behind the pair that holds them. What stands in
 * a list of tables has no path of its own and is left out.
 */
export function placesOf(sections: readonly SectionNode[]): readonly Place[] {
  const lists = sections.flatMap(({ header }) => (header?.list === true ? [namesOf(header.path)] : []));
  return sections.flatMap((section) => {
    const base = section.header === undefined ? [] : namesOf(section.header.path);
    if (lists.some((list) => startsWith(base, list))) return [];
    return section.pairs.flatMap((pair) => placesIn(pair, base, section));
  });
}

function placesIn(
  pair: PairNode,
  base: readonly string[],
  holder: SectionNode | InlineNode,
): readonly Place[] {
  const path = [...base, ...namesOf(pair.key)];
  const { value } = pair;
  const inside = value.kind === 'inline' ? value.pairs.flatMap((one) => placesIn(one, path, value)) : [];
  return [{ path, pair, holder }, ...inside];
}

/** The one pair at exactly this path, undefined where the path is a header's, a part of a dotted key, or nothing. */
export function placeAt(sections: readonly SectionNode[], path: readonly string[]): Place | undefined {
  return placesBelow(sections, path.slice(0, 1)).find((place) => samePath(place.path, path));
}

/** Those whose path begins so; the rest of a large document is passed over. */
export function placesBelow(sections: readonly SectionNode[], start: readonly string[]): readonly Place[] {
  const near = sections.filter(({ header }) => {
    const path = header?.path ?? [];
    return start.every((name, index) => path[index] === undefined || path[index].text === name);
  });
  return placesOf(near).filter(({ path }) => startsWith(path, start));
}

/** The section whose header has exactly this path. */
export function sectionAt(
  sections: readonly SectionNode[],
  path: readonly string[],
): SectionNode | undefined {
  return sections.find(
    ({ header }) => header !== undefined && !header.list && samePath(namesOf(header.path), path),
  );
}

export function samePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWith(one, other);
}

export function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
}

function namesOf(key: readonly { readonly text: string }[]): readonly string[] {
  return key.map((part) => part.text);
}

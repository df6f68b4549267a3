import type { AST } from 'toml-eslint-parser';
import { namesOf, type Section } from './syntax.js';

/** One pair of a document, by its whole path, with the inline table that holds it, where one does. */
export interface Place {
  readonly path: readonly string[];
  readonly pair: AST.TOMLKeyValue;
  readonly inline: AST.TOMLInlineTable | undefined;
}

/**
 * Every pair of a document in its order, those inside of inline tables behind the pair that holds them. A
 * pair in a list of tables has no path of its own and is left out.
 */
export function placesOf(sections: readonly Section[]): readonly Place[] {
  const lists = sections.filter(({ header }) => header?.kind === 'array').map(({ path }) => path);
  return sections.flatMap(({ path, pairs }) => {
    if (lists.some((list) => startsWith(path, list))) return [];
    return pairs.flatMap((pair) => placesIn(pair, path, undefined));
  });
}

function placesIn(
  pair: AST.TOMLKeyValue,
  base: readonly string[],
  inline: AST.TOMLInlineTable | undefined,
): readonly Place[] {
  const path = [...base, ...namesOf(pair.key)];
  const { value } = pair;
  const inside =
    value.type === 'TOMLInlineTable' ? value.body.flatMap((one) => placesIn(one, path, value)) : [];
  return [{ path, pair, inline }, ...inside];
}

/** The pairs and headers of a document by their paths. The document is gone through once. */
export class Index {
  readonly #places = new Map<string, Place>();
  readonly #last = new Map<string, Place>();
  readonly #sections = new Map<string, Section>();

  constructor(sections: readonly Section[]) {
    for (const place of placesOf(sections)) {
      this.#places.set(keyOf(place.path), place);
      this.#last.set(keyOf(place.path.slice(0, -1)), place);
    }
    for (const section of sections) {
      if (section.header?.kind === 'standard') this.#sections.set(keyOf(section.path), section);
    }
  }

  /** The pair at exactly this path. Undefined for the path of a header or of a part of a dotted key. */
  pair(path: readonly string[]): Place | undefined {
    return this.#places.get(keyOf(path));
  }

  /** The last pair of the table at this path. */
  lastIn(path: readonly string[]): Place | undefined {
    return this.#last.get(keyOf(path));
  }

  /** The section whose header has exactly this path. */
  section(path: readonly string[]): Section | undefined {
    return this.#sections.get(keyOf(path));
  }
}

export function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

import type { Pattern } from '../pattern/pool.js';

/** A pattern is filed under one piece of its text, of the larger size if it has one. */
const SIZES = [8, 5, 3] as const;

/**
 * Finds the patterns that match a name, without asking those that share no text with it: each pattern is
 * filed under the rarest piece of its texts, and a name asks only for the pieces that it has.
 */
export class NameIndex {
  readonly #filed = new Map<string, Pattern[]>();
  readonly #others: Pattern[] = [];

  constructor(patterns: readonly Pattern[]) {
    const rarity = new Map<string, number>();
    for (const pattern of patterns) {
      for (const piece of new Set(pattern.literals.flatMap((texts) => texts.flatMap(piecesOf)))) {
        rarity.set(piece, (rarity.get(piece) ?? 0) + 1);
      }
    }
    for (const pattern of patterns) this.#file(pattern, rarity);
  }

  /** The patterns that match a name, each once. */
  matching(name: string): readonly Pattern[] {
    const found: Pattern[] = this.#others.filter(({ test }) => test(name));
    if (this.#filed.size === 0) return found;
    const asked = new Set<Pattern>();
    for (const size of SIZES) {
      for (let at = 0; at + size <= name.length; at += 1) {
        for (const pattern of this.#filed.get(name.slice(at, at + size)) ?? []) {
          if (asked.has(pattern)) continue;
          asked.add(pattern);
          if (pattern.test(name)) found.push(pattern);
        }
      }
    }
    return found;
  }

  #file(pattern: Pattern, rarity: ReadonlyMap<string, number>): void {
    const pieces = pattern.literals.map((texts) => rarest(texts, rarity));
    if (pieces.some((piece) => piece === undefined)) {
      this.#others.push(pattern);
      return;
    }
    for (const piece of new Set(pieces)) {
      if (piece === undefined) continue;
      const filed = this.#filed.get(piece);
      if (filed === undefined) this.#filed.set(piece, [pattern]);
      else filed.push(pattern);
    }
  }
}

function rarest(texts: readonly string[], rarity: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  for (const piece of texts.flatMap(piecesOf)) {
    if (best === undefined || (rarity.get(piece) ?? 0) < (rarity.get(best) ?? 0)) best = piece;
  }
  return best;
}

/** The pieces of the largest size that a text has. */
function piecesOf(text: string): readonly string[] {
  const size = SIZES.find((one) => one <= text.length);
  if (size === undefined) return [];
  return Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size));
}

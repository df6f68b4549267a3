/** One piece of a glob. */
export type GlobPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'star' }
  | { readonly type: 'one' }
  | { readonly type: 'class'; readonly negated: boolean; readonly ranges: readonly ClassRange[] }
  | { readonly type: 'either'; readonly texts: readonly string[] };

/** Two code points, both included. */
export type ClassRange = readonly [number, number];

/** The pieces of a glob, or why it cannot be read. */
export type GlobParts =
  | { readonly ok: true; readonly parts: readonly GlobPart[] }
  | { readonly ok: false; readonly why: string };

/** Thrown and caught in this file alone. */
class GlobMistake extends Error {}

/** Reads a glob by code points: a character is a character, whether it takes one UTF-16 unit or two. */
export function parseGlob(glob: string): GlobParts {
  try {
    return { ok: true, parts: new GlobReader(glob).read() };
  } catch (error) {
    if (!(error instanceof GlobMistake)) throw error;
    return { ok: false, why: error.message };
  }
}

class GlobReader {
  readonly #characters: readonly string[];
  readonly #parts: GlobPart[] = [];
  #text = '';
  #at = 0;

  constructor(glob: string) {
    this.#characters = Array.from(glob);
  }

  read(): readonly GlobPart[] {
    while (this.#at < this.#characters.length) {
      const character = this.#next('');
      if (character === '*') this.#star();
      else if (character === '?') this.#push({ type: 'one' });
      else if (character === '[') this.#push(this.#class());
      else if (character === '{') this.#push(this.#either());
      else if (character === ']' || character === '}') throw unescaped(character);
      else this.#text += character === '\\' ? this.#escaped() : character;
    }
    this.#flush();
    return this.#parts;
  }

  /** `**` means what `*` means. */
  #star(): void {
    this.#flush();
    if (this.#parts.at(-1)?.type !== 'star') this.#parts.push({ type: 'star' });
  }

  #class(): GlobPart {
    const why = '`[` has no closing `]`';
    const negated = this.#characters[this.#at] === '!' || this.#characters[this.#at] === '^';
    if (negated) this.#at += 1;
    const ranges: ClassRange[] = [];
    for (;;) {
      const first = this.#next(why);
      if (first === ']') break;
      const from = first === '\\' ? this.#escaped() : first;
      const isRange = this.#characters[this.#at] === '-' && this.#characters[this.#at + 1] !== ']';
      if (isRange) this.#at += 1;
      const last = isRange ? this.#next(why) : from;
      ranges.push(classRange(from, isRange && last === '\\' ? this.#escaped() : last));
    }
    if (ranges.length === 0) throw new GlobMistake('`[]` names no character');
    return { type: 'class', negated, ranges };
  }

  #either(): GlobPart {
    const texts: string[] = [];
    let text = '';
    for (;;) {
      const character = this.#next('`{` has no closing `}`');
      if (character === '}') break;
      if (character === ',') {
        texts.push(text);
        text = '';
      } else if ('*?[]{'.includes(character)) {
        throw new GlobMistake(
          `\`${character}\` is not allowed inside \`{…}\`: only texts are, with \`,\` between them`,
        );
      } else text += character === '\\' ? this.#escaped() : character;
    }
    texts.push(text);
    return { type: 'either', texts: [...new Set(texts)].toSorted() };
  }

  #push(part: GlobPart): void {
    this.#flush();
    this.#parts.push(part);
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push({ type: 'text', text: this.#text });
    this.#text = '';
  }

  #escaped(): string {
    return this.#next('`\\` stands at the end, with nothing to take literally');
  }

  #next(why: string): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new GlobMistake(why);
    this.#at += 1;
    return character;
  }
}

function classRange(from: string, to: string): ClassRange {
  const first = from.codePointAt(0) ?? 0;
  const last = to.codePointAt(0) ?? 0;
  if (first > last) throw new GlobMistake(`the range \`${from}-${to}\` runs backwards`);
  return [first, last];
}

function unescaped(character: string): GlobMistake {
  return new GlobMistake(
    `\`${character}\` has nothing to close; write \`\\${character}\` for the character itself`,
  );
}

import { HOLE, ONE, STAR } from '@subluminal/readings/facts';
import { type GlobPart, parseGlob } from './glob-parse.js';

/** A character, any one character, or any text. */
type Token = string | typeof ANY_ONE | typeof ANY;

const ANY_ONE = Symbol('one');
const ANY = Symbol('any');

/** Alternatives of a glob that are gone through; beyond, it is taken to meet. */
const MAX_ALTERNATIVES = 64;
/** Steps of one comparison; beyond, the two are taken to meet. */
const MAX_STEPS = 65_536;

/** A glob, ready to be held against names with marks. */
export type Alternatives = readonly (readonly Token[])[] | undefined;

/** The texts that a glob stands for, as sequences of tokens; undefined where there are too many. */
export function alternativesOf(glob: string): Alternatives {
  const parsed = parseGlob(glob);
  if (!parsed.ok) return undefined;
  let all: readonly (readonly Token[])[] = [[]];
  for (const part of parsed.parts) {
    const next = tokensOf(part);
    if (all.length * next.length > MAX_ALTERNATIVES) return undefined;
    all = all.flatMap((before) => next.map((tokens) => [...before, ...tokens]));
  }
  return all;
}

function tokensOf(part: GlobPart): readonly (readonly Token[])[] {
  switch (part.type) {
    case 'text':
      return [Array.from(part.text)];
    case 'star':
      return [[ANY]];
    case 'one':
    case 'class':
      return [[ANY_ONE]];
    case 'either':
      return part.texts.map((text) => Array.from(text));
  }
}

/**
 * Whether some name fits both: one of a command, with its marks, and a glob. As in a shell, a `*` at the
 * start of a name takes no dot.
 */
export function meets(name: string, alternatives: Alternatives): boolean {
  if (alternatives === undefined) return true;
  const [start, end] = [name.charAt(0), name.charAt(name.length - 1)];
  let tokens: readonly Token[] | undefined;
  const isHidden = name.startsWith(STAR) || name.startsWith(ONE);
  // `src/a*` may be `a.pem`, but says nothing of it: it is not taken for `*.pem`. For `*` alone it is.
  const isOpen = name.endsWith(STAR);
  return alternatives.some(
    (other) =>
      !(isHidden && other[0] === '.') &&
      !(isOpen && other[0] === ANY && other.some((token) => token !== ANY)) &&
      // Most names are told apart by their first or last character.
      !differ(start, other[0]) &&
      !differ(end, other.at(-1)) &&
      share((tokens ??= tokensIn(name)), other),
  );
}

function tokensIn(name: string): readonly Token[] {
  return Array.from(name, (char): Token =>
    char === STAR || char === HOLE ? ANY : char === ONE ? ANY_ONE : char,
  );
}

function differ(char: string, token: Token | undefined): boolean {
  const isMark = char === STAR || char === HOLE || char === ONE;
  return typeof token === 'string' && token.length === 1 && !isMark && char !== token;
}

function share(a: readonly Token[], b: readonly Token[]): boolean {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_STEPS) return true;
  // From the ends: whether the rests behind two places share a text.
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const row = Array.from({ length: width }, () => false);
    for (let j = b.length; j >= 0; j -= 1) {
      const [one, other] = [a[i], b[j]];
      if (one === undefined && other === undefined) row[j] = true;
      else if (one === ANY) row[j] = below[j] === true || row[j + 1] === true;
      else if (other === ANY) row[j] = row[j + 1] === true || below[j] === true;
      else if (
        one !== undefined &&
        other !== undefined &&
        (one === other || one === ANY_ONE || other === ANY_ONE)
      )
        row[j] = below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

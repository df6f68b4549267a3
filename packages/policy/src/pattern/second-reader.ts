/** A piece of a glob, and what it is as a regular expression. */
export type Piece = readonly [glob: string, regex: string];

/** The pieces that generated globs are made of. */
export const PIECES: readonly Piece[] = [
  ['a', 'a'],
  ['b', 'b'],
  ['.', String.raw`\.`],
  ['-', '-'],
  ['😀', '😀'],
  ['*', '[^]*'],
  ['?', '[^]'],
  ['[ab]', '[ab]'],
  ['[!ab]', '[^ab]'],
  ['[a-c]', '[a-c]'],
  ['{a,bb}', '(?:a|bb)'],
  ['{a,}', '(?:a|)'],
  [String.raw`\*`, String.raw`\*`],
  [String.raw`\[`, String.raw`\[`],
  [String.raw`\\`, String.raw`\\`],
];

/** The glob of some pieces, and the regular expression that JavaScript has for it. */
export function globOf(pieces: readonly Piece[]): { readonly glob: string; readonly regex: RegExp } {
  return {
    glob: pieces.map(([glob]) => glob).join(''),
    regex: new RegExp(`^${pieces.map(([, regex]) => regex).join('')}$`, 'u'),
  };
}

import { writeHidden } from '@subluminal/core-types/portable';

/** A mark on more marks than any script has: they would be drawn over the lines above and below. */
const STACKED = /(?<=\p{M}{4})\p{M}/gu;

/**
 * A text of anybody's as it is shown: characters that cannot be seen, or that turn the direction of others,
 * are written out (`\u202e`), and so is the fifth of marks above each other. Cut at `most` units of UTF-16,
 * and then it says so.
 */
export function plainText(text: string, most = 400): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return writeHidden(unstacked(cut), written);
}

/** The same for a path: a long one keeps both of its ends, for the last one is the name of the file. */
export function pathText(path: string, most: number): string {
  const half = Math.floor(most / 2);
  return path.length <= most
    ? plainText(path, most)
    : `${plainText(path.slice(0, half), half)}…${plainText(path.slice(-half), half)}`;
}

/** The same for text of several lines: line ends and tabs stay. */
export function plainLines(text: string, most = 64 * 1024): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return writeHidden(unstacked(cut), (one) => (one === '\n' || one === '\t' ? one : written(one)));
}

function unstacked(text: string): string {
  return text.replace(STACKED, written);
}

function written(one: string): string {
  const code = one.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

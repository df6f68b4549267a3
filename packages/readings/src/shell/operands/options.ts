import { HOLE } from '../marks.js';

/** Where the operands of a program begin: behind its options and their values. */
export function behindOptions(words: readonly string[], takes: ReadonlySet<string>, from = 0): number {
  let at = from;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (word === '--') return at + 1;
    if (!word.startsWith('-') || word === '-') return at;
    at += takes.has(word) || endsInTaker(word, takes) ? 2 : 1;
  }
  return at;
}

/** `-nu root`: a bundle of short options whose last one takes the next word. */
export function endsInTaker(word: string, takes: ReadonlySet<string>): boolean {
  if (takes.size === 0 || word.length < 3 || !/^-[A-Za-z]+$/.test(word)) return false;
  for (let at = 1; at < word.length; at += 1)
    if (takes.has(`-${word.charAt(at)}`)) return at === word.length - 1;
  return false;
}

/** The value of an option, behind it or in the next word, and where the words behind it begin. */
export function valueOf(
  words: readonly string[],
  option: RegExp,
): { readonly value: string; readonly end: number } | undefined {
  for (const [at, word] of words.entries()) {
    const found = option.exec(word)?.[0];
    if (found === undefined) continue;
    const isAttached = found.endsWith('=') || found.length < word.length;
    return isAttached
      ? { value: word.slice(found.length), end: at + 1 }
      : { value: words[at + 1] ?? HOLE, end: at + 2 };
  }
  return undefined;
}

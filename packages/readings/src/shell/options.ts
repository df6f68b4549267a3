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

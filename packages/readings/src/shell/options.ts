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
  if (!/^-[A-Za-z]{2,}$/.test(word)) return false;
  const letters = word.slice(1);
  const first = Array.from(letters, (letter) => takes.has(`-${letter}`)).indexOf(true);
  return first === letters.length - 1;
}

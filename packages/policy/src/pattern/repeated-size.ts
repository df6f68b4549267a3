const COUNT = /\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}/y;

/**
 * About how many characters a regex has once its counted repetitions are written out. An estimate that needs
 * no parser: it knows escapes, classes, groups and counts, and nothing else of the syntax.
 */
export function repeatedSize(source: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  let at = 0;
  const add = (size: number): void => {
    total += size;
    last = size;
  };
  while (at < source.length) {
    const character = source.charAt(at);
    const count = character === '{' ? countAt(source, at) : undefined;
    if (count !== undefined) {
      total += last * (Math.max(1, count.times) - 1);
      last *= Math.max(1, count.times);
      at = count.end;
    } else if (character === '(') {
      outer.push(total);
      total = 0;
      last = 0;
      at += 1;
    } else if (character === ')') {
      const group = total;
      total = outer.pop() ?? 0;
      add(group);
      at += 1;
    } else {
      add(1);
      at = atomEnd(source, at);
    }
  }
  return outer.reduce((sum, size) => sum + size, total);
}

function countAt(source: string, at: number): { times: number; end: number } | undefined {
  COUNT.lastIndex = at;
  const match = COUNT.exec(source);
  if (match === null) return undefined;
  return { times: Math.max(Number(match[1]), Number(match[2] ?? 0)), end: at + match[0].length };
}

/** The index after one character, class or escape (`\x{2c}` and `\p{L}` in whole). */
function atomEnd(source: string, at: number): number {
  if (source.charAt(at) === '[') return classEnd(source, at);
  if (source.charAt(at) !== '\\') return at + 1;
  const isLong = 'xpP'.includes(source.charAt(at + 1)) && source.charAt(at + 2) === '{';
  const close = isLong ? source.indexOf('}', at) : -1;
  return close === -1 ? at + 2 : close + 1;
}

/** The index after the class that begins at `at`; a `]` right at its start belongs to it. */
function classEnd(source: string, at: number): number {
  let end = at + 1;
  if (source.charAt(end) === '^') end += 1;
  if (source.charAt(end) === ']') end += 1;
  while (end < source.length && source.charAt(end) !== ']') end += source.charAt(end) === '\\' ? 2 : 1;
  return end + 1;
}

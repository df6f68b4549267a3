import { HOLE, STAR } from '../marks.js';

/** The folders where `find` starts, of its operands. */
export function findStarts(operands: readonly string[], program = 'find'): readonly string[] {
  if (program === 'fd') return fdStarts(operands);
  const from = operands.findIndex(
    (word, at) => !/^-(?:[HLP]|-|O\d|D)$/.test(word) && operands[at - 1] !== '-D',
  );
  const plain = from === -1 ? [] : operands.slice(from);
  const end = plain.findIndex((word) => word.startsWith('-') || word === '(' || word === '!');
  const starts = end === -1 ? plain : plain.slice(0, end);
  return starts.length === 0 ? ['.'] : starts;
}

/** The names that `find` looks for, as a pattern of one segment; undefined where it takes any. */
function findName(operands: readonly string[]): string | undefined {
  const at = operands.findIndex((word) => word === '-name' || word === '-iname');
  return at === -1 ? undefined : operands[at + 1]?.replaceAll('*', STAR);
}

/** The files that `find` finds, as patterns. */
export function findResults(operands: readonly string[], program = 'find'): readonly string[] {
  const name = findName(operands);
  return findStarts(operands, program).map((start) =>
    name === undefined ? `${start}/${STAR}` : `${start}/${HOLE}/${name}`,
  );
}

/** Tests of `find` that leave no name out. */
const ALL = /^-(?:type|depth|mindepth|maxdepth|print0?|delete|xdev|mount|follow|L|H|P)$/;

/** Tests that take any name. */
const ANY_NAME = /^-(?:i?name|i?path|i?wholename|i?regex)$/;

/** Whether `find` finds all that is in the folders where it starts, or all but what it is told to leave. */
export function takesAll(operands: readonly string[]): boolean {
  const end = operands.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  const own = end === -1 ? operands : operands.slice(0, end);
  return own.every((word, at) => {
    if (!word.startsWith('-') || ALL.test(word) || word === '-not') return true;
    const before = own[at - 1];
    if (before === '!' || before === '-not') return true;
    return ANY_NAME.test(word) && /^[.*?/]+$/.test(own[at + 1] ?? '');
  });
}

const FD_TAKES: ReadonlySet<string> = new Set(
  '-d -t -e -E -S -o -c -j -g --max-depth --min-depth --type --extension --exclude --size --owner --color --threads --max-results --changed-within --changed-before --base-directory'.split(
    ' ',
  ),
);

/** `fd PATTERN FOLDER…`. */
function fdStarts(operands: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < operands.length; at += 1) {
    const word = operands[at] ?? '';
    if (/^-(?:x|X|-exec(?:-batch)?)$/.test(word)) break;
    if (FD_TAKES.has(word)) at += 1;
    else if (!word.startsWith('-')) found.push(word);
  }
  const folders = found.slice(1);
  return folders.length === 0 ? ['.'] : folders;
}

import { MAX_WORD, MAX_WORDS } from '../bounds.js';
import { NO_COMMAND, type SimpleCommand } from '../command.js';
import { findResults } from '../operands/find.js';
import type { Shell } from '../frame.js';
import { HOLE, STAR } from '../marks.js';
import { valueOf } from '../operands/options.js';
import { knownInput } from '../output.js';

/** Values of `xargs -I` that are followed one by one. */
const MAX_ITEMS = 4;
const MAX_ITEMS_KNOWN = 512;

/** The words that `xargs` adds: the items that it is given, where its text tells them. */
export function itemsOf(
  { stdin }: SimpleCommand,
  shell: Shell,
  options: readonly string[],
): readonly string[] {
  if (valueOf(options, /^(?:-a|--arg-file)(?:=|(?<=a)|$)/) !== undefined) return [HOLE];
  const text = stdin === undefined ? undefined : knownInput({ ...NO_COMMAND, stdin }, shell.place);
  if (text !== undefined) {
    // More items than these are known to nobody.
    const items = text.slice(0, MAX_WORDS).split(separatorOf(options), MAX_ITEMS_KNOWN + 1);
    const known = items.slice(0, MAX_ITEMS_KNOWN).filter((item) => item !== '');
    return items.length > MAX_ITEMS_KNOWN ? [...known, HOLE] : known;
  }
  if (stdin?.is !== 'commands') return [HOLE];
  const last = stdin.from.at(-1);
  if (last?.program === 'find' || last?.program === 'fd')
    return findResults(last.words.slice(1), last.program);
  if (last?.program !== 'ls') return [HOLE];
  const named = last.words.slice(1).filter((word) => !word.startsWith('-'));
  return named.length === 0 ? [STAR] : named;
}

function separatorOf(options: readonly string[]): RegExp | string {
  if (options.includes('-0') || options.includes('--null')) return '\0';
  const own = valueOf(options, /^(?:-d|--delimiter)(?:=|(?<=d)|$)/)?.value;
  if (own !== undefined) return own === String.raw`\n` ? '\n' : own;
  return markOf(options) === undefined ? /[\s\0]+/ : '\n';
}

/** The text that `xargs` replaces by an item. */
function markOf(options: readonly string[]): string | undefined {
  const found = valueOf(options, /^(?:-I|-i|--replace)(?:=|(?<=[Ii])|$)/);
  if (found === undefined) return undefined;
  return options.some((word) => word === '-i' || word === '--replace') ? '{}' : found.value;
}

/** The command lines that `xargs` makes: one for all items, or one an item. */
export function withItems(
  words: readonly string[],
  items: readonly string[],
  options: readonly string[],
): readonly (readonly string[])[] {
  const mark = markOf(options);
  if (mark === undefined || mark === '' || !words.some((word) => word.includes(mark)))
    return [[...words, ...items]];
  const filled = items.length === 0 ? [HOLE] : items;
  return filled.slice(0, MAX_ITEMS).map((item) => {
    // Its marks and the text that each of them becomes may grow beyond all bounds together.
    const value = item.length > MAX_WORD / 16 ? HOLE : item;
    return words.map((word) => word.replaceAll(mark, value));
  });
}

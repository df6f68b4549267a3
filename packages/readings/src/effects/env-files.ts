import { baseName } from '../shell/command.js';
import { behindOptions } from '../shell/operands/options.js';
import { INTERPRETERS, SHELLS, unversioned } from '../shell/wrappers.js';
import { set, touch, type Effect } from './effect.js';
import type { Operands } from './touch.js';

const OPTIONS = ['--env-file', '--env-file-if-exists'];
const NODE_TAKES = set('-r --require --import --loader -C --conditions --env-file --env-file-if-exists');
const INLINE = /^(?:-[a-z]*[ep]|--eval(?:=.*)?|--print(?:=.*)?)$/s;

/**
 * A program gets its variables from `--env-file`, and nobody sees them. Code of the command itself, or a
 * program that prints them, does.
 */
export const envFiles: Effect = (operands) =>
  prints(operands.words) ? touch('read', operands.values(...OPTIONS)) : [];

/** `node --env-file=.env -e CODE`, and code that comes by its input. */
export const codeWithEnvFile: Effect = (operands) =>
  isInline(operands) ? touch('read', operands.values(...OPTIONS)) : [];

/** `dotenv -f .env list`, `dotenv -e .env -p NAME`, `dotenv -- printenv`. */
export const dotenv: Effect = (operands) => {
  const [verb = ''] = operands.plain(set('-f --file -e -c -v -q --quote'));
  const isPrinting = /^(?:list|get)$/.test(verb) || operands.has('-p') || prints(operands.words);
  const named = operands.values('-f', '--file', '-e');
  return isPrinting ? touch('read', named.length === 0 ? ['.env'] : named) : [];
};

/** Words behind the name of a file are for that program. */
function isInline({ words }: Operands): boolean {
  const at = behindOptions(words, NODE_TAKES);
  const options = words.slice(0, at);
  const [first] = words.slice(at);
  if (options.some((word) => INLINE.test(word))) return true;
  if (first !== undefined) return /^(?:-|eval|repl)$/.test(first);
  return !options.some((word) => /^--(?:test|run|watch)/.test(word));
}

/** Whether one of the words prints all variables, or starts code that is written in the command. */
function prints(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const name = unversioned(baseName(word.replace(/^--entrypoint=/, '')));
    if (word.includes(':')) return false;
    if (name === 'env' || name === 'printenv' || SHELLS.has(name)) return true;
    return INTERPRETERS.has(name) && words.slice(at + 1).some((one) => one === '-c' || INLINE.test(one));
  });
}

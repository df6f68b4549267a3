import { MAX_DEPTH } from './bounds.js';
import { baseName } from './command.js';
import { fork, push, type Frame, type Given, type Shell } from './frame.js';
import { hasMark, HOLE } from './marks.js';
import { quoted } from './reparsed.js';
import { BUILT_IN } from './starts/built-in.js';
import { readsCode, runShell } from './starts/shells.js';
import { STARTERS } from './starts/starters.js';
import { isWrapping, runWrapped } from './starts/wrapped.js';
import { INTERPRETERS, RUN_VARIABLES, SHELLS, unversioned, WRAPPERS } from './wrappers.js';

/**
 * Reads a simple command whose words are known: what it changes in the shell, and the commands that it
 * starts.
 */
export function runCommand(shell: Shell, frame: Frame, words: readonly string[], given: Given): void {
  const [first = '', ...operands] = words;
  if (frame.depth > MAX_DEPTH) return shell.miss('it is nested too deep');
  const program = hasMark(first) ? HOLE : unversioned(baseName(first));
  for (const [name, value] of given.assignments)
    if (RUN_VARIABLES.has(name)) shell.inner(frame, { text: value, via: name });
  if (program !== HOLE && callsOwn(shell, frame, program, words, given)) return;
  const known = BUILT_IN.get(program) ?? STARTERS.get(program);
  if (known !== undefined) return known({ shell, frame, program, words, operands, given });
  if (SHELLS.has(program)) return runShell({ shell, frame, program, words, operands, given });
  const wrapper = WRAPPERS.get(program);
  if (wrapper !== undefined && isWrapping(wrapper, program, words))
    return runWrapped({ shell, frame, program, words, operands, given }, wrapper);
  const runsUnknown = INTERPRETERS.has(program) && readsCode(operands, given.stdin ?? frame.piped);
  push(shell, frame, words, given, program, { runsUnknown });
}

/** A command that is an alias or a function of this very text. */
function callsOwn(
  shell: Shell,
  frame: Frame,
  program: string,
  words: readonly string[],
  given: Given,
): boolean {
  const operands = words.slice(1);
  const alias = frame.aliases.get(program);
  if (alias !== undefined && !frame.via.includes('alias')) {
    const inner = fork(frame, { via: [...frame.via, 'alias'], depth: frame.depth + 1 });
    shell.script(inner, `${alias} ${operands.map(quoted).join(' ')}`);
    return true;
  }
  const body = frame.functions.get(program);
  if (body === undefined) return false;
  push(shell, frame, words, given, program, { isWrapper: true });
  if (frame.inside.has(program)) return true;
  const inner = fork(frame, { inside: new Set([...frame.inside, program]), depth: frame.depth + 1 });
  for (const [at, value] of operands.entries()) inner.variables.set(String(at + 1), value);
  for (const name of ['@', '*']) inner.variables.set(name, operands.join(' '));
  shell.walk(inner, body, given.stdin);
  return true;
}

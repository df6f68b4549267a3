import { changed, either } from '../folders.js';
import { push } from '../frame.js';
import { HOLE } from '../marks.js';
import { knownInput, knownOutput } from '../output.js';
import { NO_COMMAND, type SimpleCommand } from '../command.js';
import { findResults } from '../operands/find.js';
import { ASSIGNMENT, note, type Run } from './running.js';
import { source } from './shells.js';

const changeFolder: Run = (running) => {
  const { shell, frame, operands, given } = running;
  note(running);
  const named = operands.find((word) => word === '-' || !word.startsWith('-'));
  const before = frame.variables.get('OLDPWD') ?? HOLE;
  const to = named === '-' ? before : (named ?? frame.variables.get('HOME') ?? HOLE);
  const search = given.assignments.find(([name]) => name === 'CDPATH')?.[1] ?? frame.variables.get('CDPATH');
  const from = search === undefined || /^[./~]/.test(to) ? [] : search.split(':');
  frame.variables.set('OLDPWD', frame.cwd[0] ?? HOLE);
  frame.cwd = either(changed(frame.cwd, to, shell.place), changed(from, to, shell.place));
  frame.variables.set('PWD', frame.cwd[0] ?? HOLE);
};

const declare: Run = (running) => {
  const { frame, operands } = running;
  note(running);
  for (const word of operands) {
    const name = ASSIGNMENT.exec(word)?.[1];
    if (name !== undefined) frame.variables.set(name, word.slice(word.indexOf('=') + 1));
  }
};

/** The names of files that a command is given, as a pattern; undefined where no text tells them. */
function namesIn({ stdin }: SimpleCommand): string | undefined {
  const last = stdin?.is === 'commands' ? stdin.from.at(-1) : undefined;
  if (last?.program === 'find' || last?.program === 'fd')
    return findResults(last.words.slice(1), last.program)[0];
  const operands = last?.program === 'ls' ? last.words.slice(1) : [];
  return operands.some((word) => /^-\w*d/.test(word))
    ? operands.find((word) => !word.startsWith('-'))
    : undefined;
}

const readVariable: Run = (running) => {
  const { shell, frame, operands, words, given, program } = running;
  const command = push(shell, frame, words, given, program);
  const line = knownInput(command, shell.place)?.split('\n')[0] ?? namesIn(command) ?? HOLE;
  const at = operands.indexOf('-v');
  const names = program === 'printf' ? (at === -1 ? [] : operands.slice(at + 1, at + 2)) : operands;
  for (const name of names) if (/^[A-Za-z_]\w*$/.test(name)) frame.variables.set(name, line);
};

const setParameters: Run = (running) => {
  const { frame, operands } = running;
  note(running);
  const at = operands.indexOf('--');
  if (at === -1) return;
  for (const [index, value] of operands.slice(at + 1).entries())
    frame.variables.set(String(index + 1), value);
};

const shift: Run = (running) => {
  const { frame, operands } = running;
  note(running);
  const count = Number.parseInt(operands[0] ?? '1', 10) || 1;
  const rest = (frame.variables.get('@') ?? HOLE).split(' ').slice(count);
  for (const [index, value] of rest.entries()) frame.variables.set(String(index + 1), value);
  for (const name of ['@', '*']) frame.variables.set(name, rest.join(' '));
};

const alias: Run = (running) => {
  note(running);
  for (const word of running.operands) {
    const at = word.indexOf('=');
    if (at > 0) running.frame.aliases.set(word.slice(0, at), word.slice(at + 1));
  }
};

const evaluate: Run = ({ shell, frame, words, operands, given, program }) => {
  push(shell, frame, words, given, program, { isWrapper: true });
  shell.inner(frame, { text: operands.join(' '), via: 'eval' });
};

const trap: Run = (running) => {
  const { shell, frame, operands } = running;
  note(running);
  if (operands[0] !== undefined && operands[0] !== '-')
    shell.inner(frame, { text: operands[0], via: 'trap' });
};

const formatted: Run = (running) => {
  if (running.operands[0] === '-v') {
    const { frame, operands, shell, words, given, program } = running;
    push(shell, frame, words, given, program);
    const output = knownOutput(
      [{ ...NO_COMMAND, program: 'printf', words: ['printf', ...operands.slice(2)] }],
      shell.place,
    );
    frame.variables.set(operands[1] ?? '', output ?? HOLE);
  } else note(running);
};

/** Commands of the shell itself. */
export const BUILT_IN: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['cd', changeFolder],
  ['pushd', changeFolder],
  ['popd', (running) => (note(running), void (running.frame.cwd = [HOLE]))],
  ...['export', 'declare', 'local', 'readonly', 'typeset'].map((name): [string, Run] => [name, declare]),
  ...['read', 'mapfile', 'readarray'].map((name): [string, Run] => [name, readVariable]),
  ['printf', formatted],
  ['set', setParameters],
  ['shift', shift],
  ['alias', alias],
  ['eval', evaluate],
  ['trap', trap],
  ['source', source],
  ['.', source],
]);

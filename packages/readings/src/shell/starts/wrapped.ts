import { changed } from '../folders.js';
import { normalPath } from '../../paths/normal.js';
import type { SimpleCommand } from '../command.js';
import { fork, NOTHING_GIVEN, push, type Frame, type Shell } from '../frame.js';
import { HOLE } from '../marks.js';
import { seenHere } from '../mounts.js';
import { GLOBAL_OPTIONS, verbAt } from '../operands/global-options.js';
import { behindOptions, valueOf } from '../operands/options.js';
import { quoted } from '../reparsed.js';
import { RUN_VARIABLES, type Wrapper } from '../wrappers.js';
import { ASSIGNMENT, type Running } from './running.js';
import { withAssignments } from './shells.js';
import { itemsOf, withItems } from './xargs.js';

/** Programs that take variables before the command. */
const WITH_VARIABLES: ReadonlySet<string> = new Set(['env', 'sudo', 'doas', 'cross-env', 'cross-env-shell']);
const NO_OPTIONS: ReadonlySet<string> = new Set();

/** Whether a program is told to start another one. */
export function isWrapping({ verbs }: Wrapper, program: string, words: readonly string[]): boolean {
  return verbs === undefined || verbs.includes(words[placeOfVerb(program, words)] ?? '');
}

function placeOfVerb(program: string, words: readonly string[]): number {
  return GLOBAL_OPTIONS.has(program) ? verbAt(program, words) : behindOptions(words, NO_OPTIONS, 1);
}

/** Reads the command that a wrapper starts. */
export function runWrapped(running: Running, wrapper: Wrapper): void {
  const { shell, frame, program, words, operands, given } = running;
  const command = push(shell, frame, words, given, program, { isWrapper: true });
  const inner = fork(frame, {
    variables: withAssignments(frame, given),
    piped: given.stdin ?? frame.piped,
    via: [...frame.via, program],
    depth: frame.depth + 1,
  });
  let at =
    wrapper.verbs === undefined
      ? behindOptions(operands, wrapper.takes)
      : behindOptions(operands, wrapper.takes, placeOfVerb(program, words));
  if (program === 'env' && operands[at] === '-') at = behindOptions(operands, wrapper.takes, at + 1);
  const options = operands.slice(0, at);
  const folder = FOLDER_OPTIONS.get(program);
  if (folder !== undefined) {
    const to = valueOf(options, folder);
    if (to !== undefined) inner.cwd = changed(inner.cwd, to.value, shell.place);
  }
  const split =
    program === 'env' ? valueOf(options, /^(?:-[a-zA-Z]*S|--split-string)(?:=|(?<=S)|$)/) : undefined;
  if (split !== undefined) {
    const text = [split.value, ...operands.slice(split.end).map(quoted)].join(' ');
    return shell.inner(inner, { text, via: 'env -S' });
  }
  if (WITH_VARIABLES.has(program)) {
    for (; ASSIGNMENT.test(operands[at] ?? ''); at += 1) {
      const word = operands[at] ?? '';
      const name = word.slice(0, word.indexOf('='));
      const value = word.slice(word.indexOf('=') + 1);
      inner.variables.set(name, value);
      if (RUN_VARIABLES.has(name)) shell.inner(inner, { text: value, via: name });
    }
  }
  const behindText =
    wrapper.text === undefined
      ? undefined
      : valueOf(program === 'flock' ? operands : operands.slice(0, at), wrapper.text);
  if (behindText !== undefined) return shell.inner(inner, { text: behindText.value, via: program });
  const behind = operands.slice(at + (wrapper.operands ?? 0));
  const rest = behind[0] === '--' ? behind.slice(1) : behind;
  if (rest.length === 0) return;
  if (wrapper.isText === true) {
    for (const text of program === 'hyperfine' ? rest : [rest.join(' ')])
      shell.inner(inner, { text, via: program });
    return;
  }
  // They run in the shell itself: a change of folder stays.
  if (program === 'command' || program === 'builtin')
    return shell.run(frame, rest, { ...given, redirections: [] });
  if (program === 'xargs') {
    for (const filled of withItems(rest, itemsOf(command, shell, options), options))
      shell.run(inner, filled, NOTHING_GIVEN);
    return;
  }
  if (program === 'parallel') return runParallel(shell, inner, rest, command);
  shell.run(program === 'chroot' ? rooted(shell, inner, operands[at]) : inner, rest, {
    ...given,
    redirections: [],
  });
}

/** Options that name the folder of the program that is started. */
const FOLDER_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['env', /^(?:-C|--chdir)(?:=|(?<=C)|$)/],
  ['sudo', /^(?:-D|--chdir)(?:=|(?<=D)|$)/],
  ['unshare', /^--wd(?:=|$)/],
]);

/** `parallel CMD ::: a b`, or with the lines of its input. */
function runParallel(shell: Shell, inner: Frame, words: readonly string[], command: SimpleCommand): void {
  const end = words.findIndex((word) => /^:{3,4}\+?$/.test(word));
  const line = end === -1 ? words : words.slice(0, end);
  const items = end === -1 ? itemsOf(command, shell, []) : words.slice(end + 1);
  const [only = ''] = line;
  const given = line.some((word) => word.includes('{}')) ? line : [...line, '{}'];
  const filled = withItems(given, items, ['-I', '{}']);
  for (const one of filled) {
    // One word is a text for a shell.
    if (/\s/.test(only) && line.length === 1) shell.inner(inner, { text: one.join(' '), via: 'parallel' });
    else shell.run(inner, one, NOTHING_GIVEN);
  }
}

/** A frame in which `/` is another folder. */
function rooted(shell: Shell, frame: Frame, root: string | undefined): Frame {
  const path = normalPath(root ?? HOLE, frame.cwd[0] ?? HOLE, shell.place);
  const real = seenHere(frame, path);
  return fork(frame, { isRemote: true, mounts: real === undefined ? [] : [[real, '/']], cwd: ['/'] });
}

import { normalPath } from '../../paths/normal.js';
import { NO_COMMAND, type Stdin } from '../command.js';
import { fork, NOTHING_GIVEN, push, Variables, type Frame, type Given, type Shell } from '../frame.js';
import { hasMark, HOLE, PIPE } from '../marks.js';
import { knownInput, knownOutput } from '../output.js';
import { isOpaque } from '../reparsed.js';
import type { Run, Running } from './running.js';

/** Whether an interpreter runs what other commands print: a known text is no secret of run time. */
export function readsCode(operands: readonly string[], stdin: Stdin | undefined): boolean {
  const file = operands.find((word) => !word.startsWith('-') || word === '-');
  const at = operands.findIndex((word) => /^-[a-zA-Z]*[cer]$|^--eval$|^-m$/.test(word));
  if (at !== -1) return isOpaque(operands[at + 1] ?? '');
  if (file?.includes(PIPE) === true) return true;
  return stdin?.is === 'commands' && (file === undefined || STDIN_FILES.has(file));
}

/** Names of a program's own input. */
const STDIN_FILES: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

export const source: Run = ({ shell, frame, words, operands, given, program }) => {
  const [file] = operands;
  const isInput = file !== undefined && STDIN_FILES.has(file);
  const text = isInput
    ? knownInput({ ...NO_COMMAND, stdin: given.stdin ?? frame.piped }, shell.place)
    : writtenText(shell, frame, file);
  const runsUnknown = text === HOLE || (isInput ? text === undefined : file === undefined || hasMark(file));
  push(shell, frame, words, given, program, { runsUnknown });
  if (text !== undefined && text !== HOLE) shell.inner(frame, { text, via: program });
};

/**
 * The text that this very reading writes to a file before it is run, or appends to it; a hole for one that
 * it cannot tell.
 */
function writtenText(shell: Shell, frame: Frame, file: string | undefined): string | undefined {
  if (file === undefined || hasMark(file)) return undefined;
  const path = normalPath(file, frame.cwd[0] ?? HOLE, shell.place);
  const isFile = (name: string, cwd: readonly string[]): boolean =>
    name === file || normalPath(name, cwd[0] ?? HOLE, shell.place) === path;
  const parts: string[] = [];
  for (const command of shell.commands.toReversed()) {
    const { redirections, program, words, cwd } = command;
    const into = redirections.find(({ operator, to }) => operator.includes('>') && isFile(to, cwd));
    const isDownload = DOWNLOADS.has(program) && words.slice(1).some((word) => isFile(word, cwd));
    if (into === undefined && !isDownload) continue;
    const isTee = into === undefined && program === 'tee';
    const text = isTee ? knownInput(command, shell.place) : knownOutput([command], shell.place);
    if (text === undefined || (isDownload && !isTee)) return HOLE;
    parts.unshift(text);
    if (into?.operator !== '>>' && !(isTee && words.some((word) => /^(?:-\w*a\w*|--append)$/.test(word))))
      break;
  }
  return parts.length === 0 ? undefined : parts.join('\n');
}

/** Programs that write a file which they are told on their command line. */
const DOWNLOADS: ReadonlySet<string> = new Set(['curl', 'wget', 'tee', 'base64', 'openssl', 'scp', 'xxd']);

/** A shell that is given its text: behind `-c`, by its input, or in a file. */
export function runShell({ shell, frame, program, words, operands, given }: Running): void {
  const option = operands.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$|^--command(?:=|$)/.test(word));
  const attached = /^--command=(.*)$/s.exec(operands[option] ?? '')?.[1];
  const isBehind = option !== -1 && attached === undefined;
  // Options may stand between `-c` and its text.
  const behind = operands.findIndex((word, index) => index > option && !/^[-+]./.test(word));
  const at = !isBehind ? option : behind === -1 ? operands.length : behind;
  const text = option === -1 ? undefined : (attached ?? operands[at]);
  const file = operands.find((word) => !/^[-+]/.test(word) || word === '-');
  const readsInput = file === undefined || STDIN_FILES.has(file) || operands.includes('-s');
  const isCode = text === undefined && readsInput;
  const input = given.stdin ?? frame.piped;
  const known =
    text !== undefined
      ? undefined
      : isCode
        ? knownInput({ ...NO_COMMAND, stdin: input }, shell.place)
        : writtenText(shell, frame, file);
  const runsUnknown =
    text === undefined &&
    (isCode ? input !== undefined && known === undefined : known === HOLE || file?.includes(PIPE));
  push(shell, frame, words, given, program, { isWrapper: true, runsUnknown: runsUnknown === true });
  const inner = text ?? known;
  if (inner === undefined || (inner === HOLE && text === undefined)) return;
  const own = fork(frame, {
    variables: withAssignments(frame, given),
    piped: text === undefined ? undefined : input,
  });
  const parameters = option === -1 ? [] : operands.slice(at + 1);
  for (const [index, value] of parameters.entries()) own.variables.set(String(index), value);
  for (const name of ['@', '*']) own.variables.set(name, parameters.slice(1).join(' '));
  shell.inner(own, { text: inner, via: program });
}

/** The variables of a program that is started with assignments before it. */
export function withAssignments(frame: Frame, { assignments }: Given): Variables {
  const variables = new Variables(frame.variables);
  for (const [name, value] of assignments) variables.set(name, value);
  return variables;
}

/** `su -c`, `script -c`, `gdb -ex`: a text behind an option; else the command behind `--`. */
export const behindC: Run = ({ shell, frame, words, operands, given, program }) => {
  push(shell, frame, words, given, program, { isWrapper: true });
  const at = operands.findIndex((word) => /^-[a-zA-Z]*c$/.test(word) || word === '--command');
  const attached = operands.map((word) => /^(?:-c|--command=)(.+)$/s.exec(word)?.[1]).find(Boolean);
  if (at !== -1) shell.inner(frame, { text: operands[at + 1] ?? HOLE, via: program });
  else if (attached !== undefined) shell.inner(frame, { text: attached, via: program });
  const end = operands.indexOf('--');
  const inner = fork(frame, { via: [...frame.via, program], depth: frame.depth + 1 });
  if (end !== -1) {
    const rest = operands.slice(end + 1);
    shell.run(inner, rest[0]?.startsWith('-') === true ? ['sh', ...rest] : rest, NOTHING_GIVEN);
  }
};

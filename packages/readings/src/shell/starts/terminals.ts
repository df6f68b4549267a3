import { fork, NOTHING_GIVEN, type Frame, type Shell } from '../frame.js';
import { HOLE } from '../marks.js';
import { behindOptions } from '../operands/options.js';
import { note, type Run } from './running.js';

const takes = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const TMUX_TAKES = takes('-L -S -f -c -T');
const VERB_TAKES = takes('-s -n -t -c -x -y -e -F -l -p -w -h -N -T');
/** Verbs of `tmux` behind which a command stands. */
const STARTS =
  /^(?:new(?:-session|-window|w)?|split(?:-window|w)|respawn-?(?:pane|window|p|w)|run(?:-shell)?|if(?:-shell)?|popup|display-popup|pipe(?:-pane|p))$/;
const TYPES = /^send(?:-keys)?$/;
const KEYS: ReadonlyMap<string, string> = new Map([
  ['Enter', '\n'],
  ['C-m', '\n'],
  ['KPEnter', '\n'],
  ['Space', ' '],
  ['Tab', ' '],
]);

/** `tmux`: commands in panes, and keys that are typed into one. */
export const tmux: Run = (running) => {
  note(running);
  const { shell, operands, program } = running;
  const inner = startedBy(running.frame, program);
  let rest = operands.slice(behindOptions(operands, TMUX_TAKES));
  while (rest.length > 0) {
    const end = rest.findIndex((word) => word === ';' || word === '\\;');
    const [verb = '', ...words] = end === -1 ? rest : rest.slice(0, end);
    const own = words.slice(behindOptions(words, VERB_TAKES));
    if (TYPES.test(verb)) typed(shell, inner, own.map((key) => KEYS.get(key) ?? key).join(''));
    else if (STARTS.test(verb)) started(shell, inner, own);
    rest = end === -1 ? [] : rest.slice(end + 1);
  }
};

const SCREEN_TAKES = takes('-S -t -c -e -h -p -s -T -L -Logfile');

/** `screen`: a command in a window, and text that is typed into one. */
export const screen: Run = (running) => {
  note(running);
  const { shell, operands, program } = running;
  const inner = startedBy(running.frame, program);
  const rest = operands.slice(behindOptions(operands, SCREEN_TAKES));
  if (!operands.includes('-X')) return started(shell, inner, rest);
  if (rest[0] === 'stuff') typed(shell, inner, (rest[1] ?? '').replaceAll(/\\[nr]|\^M/g, '\n'));
  else if (rest[0] === 'exec') started(shell, inner, rest.slice(1));
};

/** One word is a text for a shell, more are a program with its operands. */
function started(shell: Shell, inner: Frame, words: readonly string[]): void {
  const [only = HOLE] = words;
  if (words.length === 1) shell.script({ ...inner, depth: inner.depth + 1 }, only);
  else if (words.length > 1) shell.run(inner, words, NOTHING_GIVEN);
}

function typed(shell: Shell, inner: Frame, text: string): void {
  if (text.trim() !== '' && !text.includes(HOLE)) shell.script(inner, text);
}

function startedBy(frame: Frame, program: string): Frame {
  return fork(frame, { via: [...frame.via, program], depth: frame.depth + 1 });
}

/** `nix develop -c CMD`, `nix shell x --command CMD`. */
export const nix: Run = (running) => {
  note(running);
  const { shell, operands, program } = running;
  const at = operands.findIndex((word) => word === '-c' || word === '--command');
  if (at !== -1) shell.run(startedBy(running.frame, program), operands.slice(at + 1), NOTHING_GIVEN);
};

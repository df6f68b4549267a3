import { changed } from '../folders.js';
import { fork, type Frame, NOTHING_GIVEN, push } from '../frame.js';
import { HOLE } from '../marks.js';
import { behindOptions } from '../operands/options.js';
import { runBySetting, runByVariables } from './git-settings.js';
import type { Run } from './running.js';

const NO_OPTIONS: ReadonlySet<string> = new Set();

const GIT_TAKES = new Set(
  '--git-dir --work-tree --namespace --exec-path --config-env --super-prefix'.split(' '),
);
/** `git` with a folder, a configuration or a helper of its own: what those start. */
export const git: Run = ({ shell, frame, words, operands, given, program }) => {
  const inner = fork(frame);
  let at = 0;
  while (operands[at]?.startsWith('-') === true) {
    const word = operands[at] ?? '';
    const value = operands[at + 1] ?? '';
    if (word === '-C') inner.cwd = changed(inner.cwd, value, shell.place);
    const text = setting(frame, operands, at);
    if (text !== undefined) shell.inner(inner, { text, via: 'git -c' });
    at += word === '-C' || word === '-c' || GIT_TAKES.has(word) ? 2 : 1;
  }
  for (const text of runByVariables(frame, given)) shell.inner(inner, { text, via: 'GIT_CONFIG_VALUE' });
  const rest = operands.slice(at);
  push(shell, inner, [words[0] ?? program, ...rest], given, program);
  const [verb, second] = rest;
  // Others take a number, a file or a branch there.
  if (verb === 'clone')
    for (const index of rest.keys()) {
      const text = setting(frame, rest, index);
      if (text !== undefined) shell.inner(inner, { text, via: 'git -c' });
    }
  const option = /^--(?:upload-pack|receive-pack|exec|extcmd)(?:=(.*))?$/is;
  for (const [index, word] of rest.entries()) {
    const text =
      option.exec(word)?.[1] ??
      (option.test(word) || (verb === 'rebase' && word === '-x') ? rest[index + 1] : undefined);
    if (text !== undefined) shell.inner(inner, { text, via: `git ${verb ?? ''}` });
  }
  if (verb === 'submodule' && second === 'foreach') {
    const command = rest.slice(behindOptions(rest, NO_OPTIONS, 2));
    shell.inner(inner, { text: command.join(' '), via: 'git submodule' });
  }
  if (verb === 'bisect' && second === 'run') shell.run(inner, rest.slice(2), NOTHING_GIVEN);
  if (verb === 'config') {
    const [name = '', value = ''] = rest.slice(1).filter((word) => !word.startsWith('-'));
    const text = value === '' ? undefined : runBySetting(name, value);
    if (text !== undefined) shell.inner(inner, { text, via: 'git config' });
  }
};

/** The text that git runs for `-c NAME=VALUE`, for `--config-env=NAME=VARIABLE`, and for `--exec-path=`. */
function setting(frame: Frame, words: readonly string[], at: number): string | undefined {
  const word = words[at] ?? '';
  if (word.startsWith('--exec-path=')) return HOLE;
  const option = /^(?:-c|--config(?:-env)?(?=$|=))/.exec(word)?.[0];
  if (option === undefined) return undefined;
  const attached = word.slice(option.length).replace(/^=/, '');
  const [name = '', ...rest] = (attached === '' ? (words[at + 1] ?? '') : attached).split('=');
  const value = rest.join('=');
  return runBySetting(name, option === '--config-env' ? (frame.variables.get(value) ?? HOLE) : value);
}

import { changed } from '../folders.js';
import { fork, NOTHING_GIVEN, push } from '../frame.js';
import { behindOptions } from '../options.js';
import type { Run } from './running.js';

const NO_OPTIONS: ReadonlySet<string> = new Set();

const GIT_TAKES = new Set(
  '--git-dir --work-tree --namespace --exec-path --config-env --super-prefix'.split(' '),
);
const GIT_RUNS =
  /^(?:alias\.[^=]+|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass)|pager\.[^=]+|diff\.external|credential\.helper|sequence\.editor|gpg\.program)=(.*)$/is;

/** `git` with a folder, a configuration or a helper of its own: what those start. */
export const git: Run = ({ shell, frame, operands, given, program }) => {
  const inner = fork(frame);
  let at = 0;
  while (operands[at]?.startsWith('-') === true) {
    const word = operands[at] ?? '';
    const value = operands[at + 1] ?? '';
    if (word === '-C') inner.cwd = changed(inner.cwd, value, shell.place);
    const text = word === '-c' ? GIT_RUNS.exec(value)?.[1] : undefined;
    if (text !== undefined) shell.inner(inner, { text: text.replace(/^!/, ''), via: 'git -c' });
    at += word === '-C' || word === '-c' || GIT_TAKES.has(word) ? 2 : 1;
  }
  const rest = operands.slice(at);
  push(shell, inner, [program, ...rest], given, program);
  const [verb, second] = rest;
  const option = /^--(?:upload-pack|receive-pack|exec|extcmd)(?:=(.*))?$/is;
  for (const [index, word] of rest.entries()) {
    const text =
      option.exec(word)?.[1] ??
      (option.test(word) || (verb === 'rebase' && word === '-x') ? rest[index + 1] : undefined);
    if (text !== undefined) shell.inner(inner, { text, via: `git ${verb ?? ''}` });
  }
  if (verb === 'submodule' && second === 'foreach') {
    const words = rest.slice(behindOptions(rest, NO_OPTIONS, 2));
    shell.inner(inner, { text: words.join(' '), via: 'git submodule' });
  }
  if (verb === 'bisect' && second === 'run') shell.run(inner, rest.slice(2), NOTHING_GIVEN);
  if (verb === 'config') {
    const [name = '', value = ''] = rest.slice(1).filter((word) => !word.startsWith('-'));
    const text = GIT_RUNS.exec(`${name}=${value}`)?.[1];
    if (text !== undefined && text !== '')
      shell.inner(inner, { text: text.replace(/^!/, ''), via: 'git config' });
  }
};

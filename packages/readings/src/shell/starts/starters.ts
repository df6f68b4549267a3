import { MAX_OPERANDS } from '../bounds.js';
import { findResults, findStarts, takesAll } from '../operands/find.js';
import { fork, NOTHING_GIVEN, push } from '../frame.js';
import { HOLE, STAR } from '../marks.js';
import { behindOptions } from '../operands/options.js';
import { LANGUAGE_PROGRAMS, withCode } from './code.js';
import { container } from './containers.js';
import { git } from './git.js';
import { note, type Run } from './running.js';
import { behindC } from './shells.js';
import { nix, screen, tmux } from './terminals.js';

const SSH_TAKES = new Set('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w'.split(' '));

const ssh: Run = (running) => {
  const { shell, frame, operands, given, program } = running;
  note(running);
  const host = behindOptions(operands, SSH_TAKES);
  for (const [at, word] of operands.slice(0, host).entries()) {
    const option = word === '-o' ? (operands[at + 1] ?? '') : word.startsWith('-o') ? word.slice(2) : '';
    const text = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]+(.*)$/is.exec(option)?.[1];
    if (text !== undefined) shell.inner(frame, { text, via: 'ssh -o' });
  }
  const rest = operands.slice(host + 1);
  const stdin = given.stdin ?? frame.piped;
  const there = fork(frame, { isRemote: true, cwd: [HOLE], piped: stdin });
  if (rest.length > 0) shell.inner(there, { text: rest.join(' '), via: program });
  // Its shell reads what comes through the pipe.
  else if (stdin?.is === 'commands') shell.inner(there, { text: 'sh', via: program });
};

const find: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  for (let at = 0; at < operands.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir|x|X)$|^--exec(?:-batch)?$/.test(operands[at] ?? '')) continue;
    const end = operands.findIndex((word, index) => index > at && (word === ';' || word === '+'));
    const words = operands.slice(at + 1, end === -1 ? operands.length : end);
    const found = [
      ...findResults(operands, program),
      ...(takesAll(operands) ? findStarts(operands, program) : []),
    ];
    const places = words.filter((word) => word === '{}').length + 1;
    if (places * found.length > MAX_OPERANDS) return shell.miss('it puts too many files into a command');
    const given = program === 'fd' && !words.some((word) => word.includes('{}')) ? [...words, '{}'] : words;
    const filled = given.flatMap((word) => (word === '{}' ? found : [word.replaceAll('{}', STAR)]));
    const inner = fork(frame, { via: [...frame.via, program], depth: frame.depth + 1 });
    if (filled.length > MAX_OPERANDS) return shell.miss('it puts too many files into a command');
    if (filled.length > 0) shell.run(inner, filled, NOTHING_GIVEN);
    if (end === -1) return;
    at = end;
  }
};

/** Options of programs whose value is a command. */
const COMMAND_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['tar', /^(?:-I|--(?:checkpoint-action|to-command|use-compress-program|rsh-command))(?:=(.*))?$/s],
  ['rsync', /^(?:-e|--rsh|--rsync-path)(?:=(.*))?$/s],
  ['man', /^(?:-P|--pager)(?:=(.*))?$/s],
  ['ansible', /^(?:-a|--args)(?:=(.*))?$/s],
  ['nix-shell', /^--(?:run|command)(?:=(.*))?$/s],
]);

const withCommandOption: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  const option = COMMAND_OPTIONS.get(program);
  const isRemote = program === 'ansible';
  const inner = isRemote ? fork(frame, { isRemote, cwd: [HOLE] }) : frame;
  for (const [at, word] of operands.entries()) {
    const match = option?.exec(word);
    if (match === undefined || match === null) continue;
    shell.inner(inner, { text: (match[1] ?? operands[at + 1] ?? HOLE).replace(/^exec=/, ''), via: program });
  }
};

/** `sed 's/x/y/e'` and `e CMD` run what they make. */
const SED = /(?:^|[;\n}])\s*(?:\d+|\$|\/[^/\n]*\/)?\s*e\s+(.+)$/gs;

const sed: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  for (const word of operands) {
    for (const [, text = ''] of word.matchAll(SED)) shell.inner(frame, { text, via: program });
  }
};

const make: Run = ({ shell, frame, words, given, program }) => {
  const command = push(shell, frame, words, given, program);
  if (command.stdin?.is !== 'text') return;
  for (const line of command.stdin.text.split('\n')) {
    const text = /^(?:\t|[^:=\s]+:[^;]*;)(.*)$/.exec(line)?.[1];
    if (text !== undefined) shell.inner(frame, { text, via: program });
  }
};

/** Programs that start commands in a way of their own. */
export const STARTERS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['su', behindC],
  ['runuser', behindC],
  ['script', behindC],
  ['capsh', behindC],
  ['ssh', ssh],
  ['mosh', ssh],
  ...['docker', 'podman', 'nerdctl', 'kubectl', 'oc'].map((name): [string, Run] => [name, container]),
  ['find', find],
  ['fd', find],
  ['git', git],
  ...['tar', 'rsync', 'man', 'ansible', 'nix-shell'].map((name): [string, Run] => [name, withCommandOption]),
  ...LANGUAGE_PROGRAMS.map((name): [string, Run] => [name, withCode]),
  ['sed', sed],
  ['tmux', tmux],
  ['screen', screen],
  ['nix', nix],
  ['make', make],
  ['gmake', make],
]);

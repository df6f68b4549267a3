import { normalPath } from '../paths/normal.js';
import { MAX_DEPTH, MAX_OPERANDS, MAX_WORD, MAX_WORDS } from './bounds.js';
import { baseName, type SimpleCommand, type Stdin } from './command.js';
import { findResults } from './find.js';
import { changed, either } from './folders.js';
import { fork, NOTHING_GIVEN, push, Variables, type Frame, type Given, type Shell } from './frame.js';
import { hasMark, HOLE, isUnknown, ONE, PIPE, STAR } from './marks.js';
import { knownInput, knownOutput } from './output.js';
import { behindOptions } from './options.js';
import { INTERPRETERS, RUN_VARIABLES, SHELLS, unversioned, WRAPPERS, type Wrapper } from './wrappers.js';

const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;
const NO_OPTIONS: ReadonlySet<string> = new Set();

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
  if (wrapper !== undefined && isWrapping(wrapper, operands))
    return runWrapped({ shell, frame, program, words, operands, given }, wrapper);
  const runsUnknown = INTERPRETERS.has(program) && readsCode(operands, given.stdin ?? frame.piped);
  push(shell, frame, words, given, program, { runsUnknown });
}

/** Whether an interpreter runs what other commands print: a known text is no secret of run time. */
function readsCode(operands: readonly string[], stdin: Stdin | undefined): boolean {
  const file = operands.find((word) => !word.startsWith('-') || word === '-');
  const at = operands.findIndex((word) => /^-[a-zA-Z]*[cer]$|^--eval$|^-m$/.test(word));
  if (at !== -1) return isOpaque(operands[at + 1] ?? '');
  if (file?.includes(PIPE) === true) return true;
  return stdin?.is === 'commands' && (file === undefined || STDIN_FILES.has(file));
}

/** Names of a program's own input. */
const STDIN_FILES: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

interface Running {
  readonly shell: Shell;
  readonly frame: Frame;
  readonly program: string;
  readonly words: readonly string[];
  readonly operands: readonly string[];
  readonly given: Given;
}

type Run = (running: Running) => void;

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

const note: Run = ({ shell, frame, words, given, program }) => void push(shell, frame, words, given, program);

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

const readVariable: Run = (running) => {
  const { shell, frame, operands, words, given, program } = running;
  const text = knownInput(push(shell, frame, words, given, program), shell.place);
  const line = text?.split('\n')[0] ?? HOLE;
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

const source: Run = ({ shell, frame, words, operands, given, program }) => {
  const [file] = operands;
  const isInput = file !== undefined && STDIN_FILES.has(file);
  const text = isInput
    ? knownInput({ ...EMPTY, stdin: given.stdin ?? frame.piped }, shell.place)
    : writtenText(shell, frame, file);
  const runsUnknown = text === HOLE || (isInput ? text === undefined : file === undefined || hasMark(file));
  push(shell, frame, words, given, program, { runsUnknown });
  if (text !== undefined && text !== HOLE) shell.inner(frame, { text, via: program });
};

/** The text that this very reading writes to a file before it is run; a hole for one that it cannot tell. */
function writtenText(shell: Shell, frame: Frame, file: string | undefined): string | undefined {
  if (file === undefined || hasMark(file)) return undefined;
  const path = normalPath(file, frame.cwd[0] ?? HOLE, shell.place);
  const isFile = (name: string, cwd: readonly string[]): boolean =>
    name === file || normalPath(name, cwd[0] ?? HOLE, shell.place) === path;
  for (const command of shell.commands.toReversed()) {
    const { redirections, program, words, cwd } = command;
    const into = redirections.find(({ operator, to }) => operator.includes('>') && isFile(to, cwd));
    if (into !== undefined)
      return into.operator === '>>' ? HOLE : (knownOutput([command], shell.place) ?? HOLE);
    if (!DOWNLOADS.has(program)) continue;
    if (words.slice(1).some((word) => isFile(word, cwd)))
      return program === 'tee' ? (knownInput(command, shell.place) ?? HOLE) : HOLE;
  }
  return undefined;
}

/** Programs that write a file which they are told on their command line. */
const DOWNLOADS: ReadonlySet<string> = new Set(['curl', 'wget', 'tee', 'base64', 'openssl', 'scp', 'xxd']);

const formatted: Run = (running) => {
  if (running.operands[0] === '-v') {
    const { frame, operands, shell, words, given, program } = running;
    push(shell, frame, words, given, program);
    const output = knownOutput(
      [{ ...EMPTY, program: 'printf', words: ['printf', ...operands.slice(2)] }],
      shell.place,
    );
    frame.variables.set(operands[1] ?? '', output ?? HOLE);
  } else note(running);
};

const EMPTY: SimpleCommand = {
  program: '',
  words: [],
  redirections: [],
  assignments: [],
  cwd: [],
  via: [],
  stdin: undefined,
  isRemote: false,
  isWrapper: false,
  hasOwnEnvironment: false,
  runsUnknown: false,
  mounts: [],
};

/** Commands of the shell itself. */
const BUILT_IN: ReadonlyMap<string, Run> = new Map<string, Run>([
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

/** A shell that is given its text: behind `-c`, by its input, or in a file. */
function runShell({ shell, frame, program, words, operands, given }: Running): void {
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
        ? knownInput({ ...EMPTY, stdin: input }, shell.place)
        : writtenText(shell, frame, file);
  const runsUnknown =
    text === undefined &&
    (isCode ? input !== undefined && known === undefined : known === HOLE || file?.includes(PIPE));
  push(shell, frame, words, given, program, { isWrapper: true, runsUnknown: runsUnknown === true });
  const inner = text ?? known;
  if (inner === undefined || (inner === HOLE && text === undefined)) return;
  const own = fork(frame, { variables: withAssignments(frame, given) });
  const parameters = option === -1 ? [] : operands.slice(at + 1);
  for (const [index, value] of parameters.entries()) own.variables.set(String(index), value);
  for (const name of ['@', '*']) own.variables.set(name, parameters.slice(1).join(' '));
  shell.inner(own, { text: inner, via: program });
}

/** The variables of a program that is started with assignments before it. */
function withAssignments(frame: Frame, { assignments }: Given): Variables {
  const variables = new Variables(frame.variables);
  for (const [name, value] of assignments) variables.set(name, value);
  return variables;
}

/** `su -c`, `script -c`, `gdb -ex`: a text behind an option; else the command behind `--`. */
const behindC: Run = ({ shell, frame, words, operands, given, program }) => {
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

const SSH_TAKES = new Set('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w'.split(' '));

const ssh: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  const host = behindOptions(operands, SSH_TAKES);
  for (const [at, word] of operands.slice(0, host).entries()) {
    const option = word === '-o' ? (operands[at + 1] ?? '') : word.startsWith('-o') ? word.slice(2) : '';
    const text = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]+(.*)$/is.exec(option)?.[1];
    if (text !== undefined) shell.inner(frame, { text, via: 'ssh -o' });
  }
  const rest = operands.slice(host + 1);
  if (rest.length > 0)
    shell.inner(fork(frame, { isRemote: true, cwd: [HOLE] }), { text: rest.join(' '), via: program });
};

const CONTAINER_TAKES = new Set(
  '-v -e -w -u -p -m -h -l -a -c -P --volume --mount --env --workdir --user --publish --name --network --entrypoint --memory --env-file --platform --label --cpus --hostname --add-host -f --file --project-name -n --namespace --container --context'.split(
    ' ',
  ),
);

const container: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  let at = behindOptions(operands, CONTAINER_TAKES);
  if (operands[at] === 'compose' || operands[at] === 'container')
    at = behindOptions(operands, CONTAINER_TAKES, at + 1);
  if (operands[at] !== 'run' && operands[at] !== 'exec') return;
  const image = behindOptions(operands, CONTAINER_TAKES, at + 1);
  const mounts = mountsOf(operands.slice(at + 1, image)).map(
    ([from, to]) => [normalPath(from, frame.cwd[0] ?? HOLE, shell.place), to] as const,
  );
  const rest = operands.slice(image + 1);
  const words = rest[0] === '--' ? rest.slice(1) : rest;
  const inner = { isRemote: true, mounts, cwd: [HOLE], via: [...frame.via, program], depth: frame.depth + 1 };
  shell.run(fork(frame, inner), words.length === 0 ? ['true'] : words, NOTHING_GIVEN);
};

function mountsOf(options: readonly string[]): readonly (readonly [string, string])[] {
  return options.flatMap((word, at): readonly (readonly [string, string])[] => {
    const value = /^(?:-v|--volume|--mount)$/.test(word)
      ? options[at + 1]
      : /^(?:-v|--volume|--mount)=(.*)$/s.exec(word)?.[1];
    if (value === undefined) return [];
    const from = /(?:src|source)=([^,]+)/.exec(value)?.[1];
    const to = /(?:dst|target|destination)=([^,]+)/.exec(value)?.[1];
    const [first = '', second = ''] = value.split(':');
    return [[from ?? first, to ?? second]];
  });
}

const find: Run = (running) => {
  const { shell, frame, operands, program } = running;
  note(running);
  for (let at = 0; at < operands.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir|x|X)$|^--exec(?:-batch)?$/.test(operands[at] ?? '')) continue;
    const end = operands.findIndex((word, index) => index > at && (word === ';' || word === '+'));
    const words = operands.slice(at + 1, end === -1 ? operands.length : end);
    const found = findResults(operands);
    const places = words.filter((word) => word === '{}').length;
    if (places * found.length > MAX_OPERANDS) return shell.miss('it puts too many files into a command');
    const filled = words.flatMap((word) => (word === '{}' ? found : [word.replaceAll('{}', STAR)]));
    const inner = fork(frame, { via: [...frame.via, program], depth: frame.depth + 1 });
    if (filled.length > MAX_OPERANDS) return shell.miss('it puts too many files into a command');
    if (filled.length > 0) shell.run(inner, filled, NOTHING_GIVEN);
    if (end === -1) return;
    at = end;
  }
};

const GIT_TAKES = new Set(
  '--git-dir --work-tree --namespace --exec-path --config-env --super-prefix'.split(' '),
);
const GIT_RUNS =
  /^(?:alias\.[^=]+|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass)|pager\.[^=]+|diff\.external|credential\.helper|sequence\.editor|gpg\.program)=(.*)$/is;

const git: Run = ({ shell, frame, operands, given, program }) => {
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

/** Options of programs whose value is a command. */
const COMMAND_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['tar', /^(?:-I|--(?:checkpoint-action|to-command|use-compress-program|rsh-command))(?:=(.*))?$/s],
  ['rsync', /^(?:-e|--rsh|--rsync-path)(?:=(.*))?$/s],
  ['man', /^(?:-P|--pager)(?:=(.*))?$/s],
  ['ansible', /^(?:-a|--args)(?:=(.*))?$/s],
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

/** Commands inside of the small languages of editors and filters. */
const EMBEDDED: ReadonlyMap<string, RegExp> = new Map([
  ['awk', /system\s*\(\s*"((?:[^"\\]|\\.)*)"/g],
  ['vim', /^:?\s*!(.*)$/gs],
  ['sed', /(?:^|[;\n}])\s*(?:\d+|\$|\/[^/\n]*\/)?\s*e\s+(.+)$/gs],
]);

const embedding =
  (language: string): Run =>
  (running) => {
    const { shell, frame, operands, program } = running;
    note(running);
    for (const word of operands) {
      for (const [, text = ''] of word.matchAll(EMBEDDED.get(language) ?? /$^/g))
        shell.inner(frame, { text, via: program });
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
const STARTERS: ReadonlyMap<string, Run> = new Map<string, Run>([
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
  ...['tar', 'rsync', 'man', 'ansible'].map((name): [string, Run] => [name, withCommandOption]),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, Run] => [name, embedding('awk')]),
  ...['vim', 'vi', 'nvim'].map((name): [string, Run] => [name, embedding('vim')]),
  ['sed', embedding('sed')],
  ['make', make],
  ['gmake', make],
]);

function isWrapping({ verbs }: Wrapper, operands: readonly string[]): boolean {
  return verbs === undefined || verbs.includes(operands.find((word) => !word.startsWith('-')) ?? '');
}

function runWrapped(running: Running, wrapper: Wrapper): void {
  const { shell, frame, program, words, operands, given } = running;
  const command = push(shell, frame, words, given, program, { isWrapper: true });
  const inner = fork(frame, {
    variables: withAssignments(frame, given),
    via: [...frame.via, program],
    depth: frame.depth + 1,
  });
  let at = behindOptions(operands, wrapper.takes);
  if (program === 'env' && operands[at] === '-') at = behindOptions(operands, wrapper.takes, at + 1);
  if (wrapper.verbs !== undefined) at = behindOptions(operands, NO_OPTIONS, at + 1);
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
  if (program === 'env' || program === 'sudo' || program === 'doas') {
    for (; ASSIGNMENT.test(operands[at] ?? ''); at += 1) {
      const word = operands[at] ?? '';
      const name = word.slice(0, word.indexOf('='));
      const value = word.slice(word.indexOf('=') + 1);
      inner.variables.set(name, value);
      if (RUN_VARIABLES.has(name)) shell.inner(inner, { text: value, via: name });
    }
  }
  const behindText = program === 'flock' ? valueOf(operands, /^(?:-c|--command)(?:=|$)/) : undefined;
  if (behindText !== undefined) return shell.inner(inner, { text: behindText.value, via: program });
  const rest = operands.slice(at + (wrapper.operands ?? 0));
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
  const own = program === 'parallel' ? rest.filter((word) => word !== ':::') : rest;
  shell.run(inner, own, { ...given, redirections: [] });
}

/** Options that name the folder of the program that is started. */
const FOLDER_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['env', /^(?:-C|--chdir)(?:=|(?<=C)|$)/],
  ['sudo', /^(?:-D|--chdir)(?:=|(?<=D)|$)/],
  ['unshare', /^--wd(?:=|$)/],
]);

/** The value of an option, behind it or in the next word, and where the words behind it begin. */
function valueOf(
  words: readonly string[],
  option: RegExp,
): { readonly value: string; readonly end: number } | undefined {
  for (const [at, word] of words.entries()) {
    const found = option.exec(word)?.[0];
    if (found === undefined) continue;
    const isAttached = found.endsWith('=') || found.length < word.length;
    return isAttached
      ? { value: word.slice(found.length), end: at + 1 }
      : { value: words[at + 1] ?? HOLE, end: at + 2 };
  }
  return undefined;
}

/** Values of `xargs -I` that are followed one by one. */
const MAX_ITEMS = 4;
const MAX_ITEMS_KNOWN = 512;

/** The words that `xargs` adds: the items that it is given, where its text tells them. */
function itemsOf({ stdin }: SimpleCommand, shell: Shell, options: readonly string[]): readonly string[] {
  if (valueOf(options, /^(?:-a|--arg-file)(?:=|(?<=a)|$)/) !== undefined) return [HOLE];
  const text = stdin === undefined ? undefined : knownInput({ ...EMPTY, stdin }, shell.place);
  if (text !== undefined) {
    // More items than these are known to nobody.
    const items = text.slice(0, MAX_WORDS).split(separatorOf(options), MAX_ITEMS_KNOWN + 1);
    const known = items.slice(0, MAX_ITEMS_KNOWN).filter((item) => item !== '');
    return items.length > MAX_ITEMS_KNOWN ? [...known, HOLE] : known;
  }
  if (stdin?.is !== 'commands') return [HOLE];
  const last = stdin.from.at(-1);
  if (last?.program === 'find' || last?.program === 'fd') return findResults(last.words.slice(1));
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
function withItems(
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

/** A word for a text that is read again. */
function quoted(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as it can be parsed again: marks become what stands for them in a shell. */
export function reparsed(text: string): string {
  return text
    .replaceAll(STAR, '*')
    .replaceAll(ONE, '?')
    .replaceAll(PIPE, '"$__unknown"')
    .replaceAll(HOLE, '"$__unknown"');
}

/** Whether a text is code that only run time knows. */
export function isOpaque(text: string): boolean {
  return isUnknown(text) || text.includes(PIPE);
}

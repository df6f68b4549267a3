/** A program that starts another one. */
export interface Wrapper {
  /** Its options that take a value. */
  readonly takes: ReadonlySet<string>;
  /** The words of which one comes first, as `run` of `uv run`; any word, unless given. */
  readonly verbs?: readonly string[];
  /** Operands of its own before the program. */
  readonly operands?: number;
  /** The rest is one text for a shell. */
  readonly isText?: true;
  /** An option whose value is a text for a shell. */
  readonly text?: RegExp;
}

const wrapper = (takes = '', more: Omit<Wrapper, 'takes'> = {}): Wrapper => ({
  takes: new Set(takes.split(' ')),
  ...more,
});

/** Programs that run their operands behind a verb. */
const run = (programs: string, takes: string, verbs: string): readonly (readonly [string, Wrapper])[] =>
  programs.split(' ').map((name) => [name, wrapper(takes, { verbs: verbs.split(' ') })]);

/** Programs that run their operands as a command. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  [
    'sudo',
    wrapper(
      '-u -g -p -h -C -r -T -t -D -R --user --group --prompt --chdir --host --close-from --role --type --chroot --other-user --command-timeout',
    ),
  ],
  ['doas', wrapper('-u -C')],
  ['nohup', wrapper()],
  ['nice', wrapper('-n --adjustment')],
  ['ionice', wrapper('-c -n -p')],
  ['chrt', wrapper('-T -P -D', { operands: 1 })],
  ['taskset', wrapper('', { operands: 1 })],
  ['timeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
  ['gtimeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
  ['time', wrapper('-f -o')],
  ['stdbuf', wrapper('-i -o -e')],
  ['setsid', wrapper()],
  ['command', wrapper()],
  ['builtin', wrapper()],
  ['exec', wrapper('-a')],
  ['env', wrapper('-u -C -S --unset --chdir --split-string')],
  ['xargs', wrapper('-I -E -n -P -s -L -a -d --replace --max-args --max-procs --arg-file --delimiter')],
  ['busybox', wrapper()],
  ['toybox', wrapper()],
  ['unshare', wrapper('-G -S -R --wd --root --setuid --setgid --propagation --setgroups')],
  ['prlimit', wrapper('-p --pid')],
  ...['setarch', 'linux32', 'linux64', 'i386', 'x86_64', 'uname26'].map((name): [string, Wrapper] => [
    name,
    wrapper('', { operands: name === 'setarch' ? 1 : 0 }),
  ]),
  ['setpriv', wrapper('--reuid --regid --groups --inh-caps --bounding-set --ambient-caps --securebits')],
  ['fakeroot', wrapper('-l -s -i -b --lib --faked')],
  ['pkexec', wrapper('--user')],
  ['chpst', wrapper('-u -U -e -n -l -L -m -d -o -p -f -c -r -t -/')],
  ['setuidgid', wrapper('', { operands: 1 })],
  ['envdir', wrapper('', { operands: 1 })],
  ['gosu', wrapper('', { operands: 1 })],
  ['su-exec', wrapper('', { operands: 1 })],
  ['dbus-run-session', wrapper('--config-file --dbus-daemon')],
  ['xvfb-run', wrapper('-e -f -n -p -s -w --server-num --server-args --error-file --wait')],
  ['valgrind', wrapper()],
  ['catchsegv', wrapper()],
  ['rlwrap', wrapper('-f -H -C -b -p')],
  ['unbuffer', wrapper('-p')],
  ['entr', wrapper()],
  ['winpty', wrapper()],
  ['tsocks', wrapper()],
  ['torsocks', wrapper()],
  ['nsenter', wrapper('-t -G -S')],
  ['chroot', wrapper('', { operands: 1 })],
  ['watch', wrapper('-n -d --interval', { isText: true })],
  ['strace', wrapper('-e -f -o -p -s -u -P')],
  ['ltrace', wrapper('-e -o -u')],
  [
    'flock',
    wrapper('-w -E --timeout --conflict-exit-code', { operands: 1, text: /^(?:-c|--command)(?:=|$)/ }),
  ],
  ['parallel', wrapper('-j -I -a -N --jobs --arg-file')],
  ['caffeinate', wrapper('-t -w')],
  ['firejail', wrapper()],
  ['proxychains', wrapper('-f')],
  ['noglob', wrapper()],
  ['nocorrect', wrapper()],
  ['hyperfine', wrapper('-w -m -r -n -S -p -c --warmup --runs --prepare --shell', { isText: true })],
  ['systemd-run', wrapper('-p -u')],
  ['dotenv', wrapper('-e -c')],
  ['npx', wrapper('-p --package -w --workspace -c --call', { text: /^(?:-c|--call)(?:=|$)/ })],
  ['bunx', wrapper()],
  ['uvx', wrapper('--from --with --python')],
  ['pnpx', wrapper()],
  ['cross-env', wrapper()],
  ['cross-env-shell', wrapper('', { isText: true })],
  ...run('uv', '--with --python --project --extra --group --env-file', 'run tool'),
  ...run('poetry pipenv hatch pdm rye pixi devbox', '-C -P -p --directory --project --env -e', 'run'),
  ...run('conda mamba micromamba', '-n -p --name --prefix --cwd', 'run'),
  ...run('bundle lerna fnm rbenv pyenv nodenv jenv', '--scope --using --ignore', 'exec'),
  ...run('pnpm yarn', '-p --package', 'exec dlx'),
  ['npm', wrapper('-p --package -c --call', { verbs: ['exec', 'x'], text: /^(?:-c|--call)(?:=|$)/ })],
  ...run('mise', '', 'exec x'),
  ['direnv', wrapper('', { verbs: ['exec'], operands: 1 })],
  ['asdf', wrapper('', { verbs: ['exec'] })],
  ['volta', wrapper('--node --npm --yarn', { verbs: ['run'] })],
  ['aws-vault', wrapper('-d --duration -n', { verbs: ['exec'], operands: 1 })],
  ...run('doppler infisical op', '-p -c --project --config --env --path --env-file', 'run'),
]);

export const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ash fish mksh rbash yash csh tcsh posh pwsh nu xonsh'.split(' '),
);

/** Programs that take code from their input where they are given no file. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  'python node nodejs deno bun ruby perl php osascript lua tclsh R'.split(' '),
);

/** The name of a shell or an interpreter without its version: `bash-5.2`, `python3.11`. */
export function unversioned(program: string): string {
  if (!/[\d.]$/.test(program)) return program;
  const name = program.replace(/-?\d[\d.]*$/, '');
  return SHELLS.has(name) || INTERPRETERS.has(name) ? name : program;
}

/** Variables whose value programs run as a command. */
export const RUN_VARIABLES: ReadonlySet<string> = new Set(
  'PROMPT_COMMAND BASH_ENV ENV GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS PAGER MANPAGER EDITOR VISUAL LESSOPEN'.split(
    ' ',
  ),
);

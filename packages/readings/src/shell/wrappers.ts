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
}

const wrapper = (takes = '', more: Omit<Wrapper, 'takes'> = {}): Wrapper => ({
  takes: new Set(takes.split(' ')),
  ...more,
});

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
  ['flock', wrapper('-w -E --timeout --conflict-exit-code', { operands: 1 })],
  ['parallel', wrapper('-j -I -a -N --jobs --arg-file')],
  ['caffeinate', wrapper('-t -w')],
  ['firejail', wrapper()],
  ['proxychains', wrapper('-f')],
  ['noglob', wrapper()],
  ['nocorrect', wrapper()],
  ['hyperfine', wrapper('-w -m -r -n -S -p -c --warmup --runs --prepare --shell', { isText: true })],
  ['systemd-run', wrapper('-p -u')],
  ['dotenv', wrapper('-e -c')],
  ['npx', wrapper('-p --package')],
  ['bunx', wrapper()],
  ['uvx', wrapper('--from --with --python')],
  ['pnpx', wrapper()],
  ['uv', wrapper('--with --python --project', { verbs: ['run', 'tool'] })],
  ['poetry', wrapper('', { verbs: ['run'] })],
  ['pipenv', wrapper('', { verbs: ['run'] })],
  ['bundle', wrapper('', { verbs: ['exec'] })],
  ['pnpm', wrapper('', { verbs: ['exec', 'dlx'] })],
  ['yarn', wrapper('', { verbs: ['exec', 'dlx'] })],
  ['npm', wrapper('', { verbs: ['exec', 'x'] })],
  ['mise', wrapper('', { verbs: ['exec', 'x'] })],
  ['direnv', wrapper('', { verbs: ['exec'] })],
  ['doppler', wrapper('', { verbs: ['run'] })],
  ['op', wrapper('', { verbs: ['run'] })],
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
  const name = program.replace(/-?\d[\d.]*$/, '');
  return SHELLS.has(name) || INTERPRETERS.has(name) ? name : program;
}

/** Variables whose value programs run as a command. */
export const RUN_VARIABLES: ReadonlySet<string> = new Set(
  'PROMPT_COMMAND BASH_ENV ENV GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS PAGER MANPAGER EDITOR VISUAL LESSOPEN'.split(
    ' ',
  ),
);

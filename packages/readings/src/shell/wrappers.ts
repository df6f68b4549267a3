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
      '-u -g -p -h -C -r -T -t -D -R -a -c --auth-type --login-class --user --group --prompt --chdir --host --close-from --role --type --chroot --other-user --command-timeout',
    ),
  ],
  ['doas', wrapper('-u -C -a')],
  ['nohup', wrapper()],
  ['nice', wrapper('-n --adjustment')],
  ['ionice', wrapper('-c -n -p --class --classdata')],
  ['chrt', wrapper('-T -P -D --sched-runtime --sched-period --sched-deadline', { operands: 1 })],
  ['taskset', wrapper('', { operands: 1 })],
  ['timeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
  ['gtimeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
  ['time', wrapper('-f -o --format --output')],
  ['stdbuf', wrapper('-i -o -e --input --output --error')],
  ['setsid', wrapper()],
  ['command', wrapper()],
  ['builtin', wrapper()],
  ['exec', wrapper('-a')],
  ['env', wrapper('-u -C -S -a --unset --chdir --split-string --argv0')],
  [
    'xargs',
    wrapper(
      '-I -E -n -P -s -L -a -d --max-args --max-procs --max-chars --process-slot-var --arg-file --delimiter',
    ),
  ],
  ['busybox', wrapper()],
  ['toybox', wrapper()],
  [
    'unshare',
    wrapper(
      '-G -S -R -w --map-user --map-group --map-users --map-groups --wd --root --setuid --setgid --propagation --setgroups',
    ),
  ],
  ['prlimit', wrapper('-p -o --pid --output')],
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
  ['rlwrap', wrapper('-f -H -C -b --file --history-filename --command-name --break-chars')],
  ['unbuffer', wrapper()],
  ['entr', wrapper()],
  ['winpty', wrapper()],
  ['tsocks', wrapper()],
  ['torsocks', wrapper()],
  ['nsenter', wrapper('-t -G -S --target --setuid --setgid')],
  ['chroot', wrapper('', { operands: 1 })],
  ['watch', wrapper('-n -q --interval --equexit', { isText: true })],
  [
    'strace',
    wrapper(
      '-a -b -e -E -I -o -O -p -P -s -S -u -U -X --abbrev --argv0 --attach --columns --detach-on --env --fault --inject --interruptible --output --raw --read --signal --status --string-limit --summary-columns --summary-overhead --summary-sort-by --trace --trace-path --user --verbose --write --const-print-style',
    ),
  ],
  [
    'ltrace',
    wrapper('-a -A -D -e -F -l -n -o -p -s -u -w -x --align --config --indent --library --output --where'),
  ],
  [
    'flock',
    wrapper('-w -E --wait --timeout --conflict-exit-code', { operands: 1, text: /^(?:-c|--command)(?:=|$)/ }),
  ],
  [
    'parallel',
    wrapper(
      '-j -I -a -n -N -P -L -s -S -E -C -D --jobs --arg-file --colsep --max-args --sshlogin --joblog --delay --timeout --retries --results --tmpdir --halt',
    ),
  ],
  ['caffeinate', wrapper('-t -w')],
  ['firejail', wrapper()],
  ['proxychains', wrapper('-f')],
  ['proxychains4', wrapper('-f')],
  ['eatmydata', wrapper()],
  ['chronic', wrapper()],
  ['tini', wrapper('-p -e')],
  ['dumb-init', wrapper('-r --rewrite')],
  ...['faketime', 's6-setuidgid'].map((name): [string, Wrapper] => [name, wrapper('', { operands: 1 })]),
  ['numactl', wrapper('-m -N -C -i -p --membind --cpunodebind --physcpubind --interleave --preferred')],
  ['cpulimit', wrapper('-l -p -e --limit --pid --exe')],
  ['cgexec', wrapper('-g')],
  ['aa-exec', wrapper('-p -n --profile --namespace')],
  ['ssh-agent', wrapper('-a -E -O -P -t')],
  ['noglob', wrapper()],
  ['nocorrect', wrapper()],
  ['hyperfine', wrapper('-w -m -r -n -S -p -c --warmup --runs --prepare --shell', { isText: true })],
  [
    'systemd-run',
    wrapper(
      '-p -u -E -M -H --property --unit --uid --gid --nice --slice --setenv --machine --host --description --working-directory',
    ),
  ],
  ...['dotenv', 'dotenv-cli'].map((name): [string, Wrapper] => [
    name,
    wrapper('-e -c -f -v -p -q --file --quote'),
  ]),
  [
    'npx',
    wrapper('-p --package -w --workspace -c --call --registry --prefix --cache --userconfig', {
      text: /^(?:-c|--call)(?:=|$)/,
    }),
  ],
  ['bunx', wrapper()],
  ['uvx', wrapper('--from --with --python')],
  ['pnpx', wrapper()],
  ['cross-env', wrapper()],
  ['cross-env-shell', wrapper('', { isText: true })],
  ...run(
    'uv',
    '-p -i --python-preference --directory --index --index-url --cache-dir --config-file --with-requirements --with-editable --with --python --project --extra --group --env-file',
    'run tool',
  ),
  ...run('poetry pipenv hatch pdm rye pixi devbox', '-C -P -p --directory --project --env -e', 'run'),
  ...run('conda mamba micromamba', '-n -p --name --prefix --cwd', 'run'),
  ...run('bundle lerna fnm rbenv pyenv nodenv jenv', '--scope --using --ignore', 'exec'),
  ...run('pnpm yarn', '-p --package', 'exec dlx'),
  ['npm', wrapper('-p --package -c --call', { verbs: ['exec', 'x'], text: /^(?:-c|--call)(?:=|$)/ })],
  ...run('mise', '', 'exec x'),
  ['direnv', wrapper('', { verbs: ['exec'], operands: 1 })],
  ['asdf', wrapper('', { verbs: ['exec'] })],
  ['volta', wrapper('--node --npm --yarn', { verbs: ['run'] })],
  ['aws-vault', wrapper('-d --duration', { verbs: ['exec'], operands: 1 })],
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

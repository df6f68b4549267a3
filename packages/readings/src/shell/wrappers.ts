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
  ['sudo', wrapper('-u -g -p -h -C -r -T -t -D -R --user --group --prompt --chdir --host')],
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
  ['env', wrapper('-u -C --unset --chdir')],
  ['xargs', wrapper('-I -E -n -P -s -L -a -d --replace --max-args --max-procs --arg-file --delimiter')],
  ['busybox', wrapper()],
  ['toybox', wrapper()],
  ['unshare', wrapper('-G -S -R')],
  ['nsenter', wrapper('-t -G -S')],
  ['chroot', wrapper('', { operands: 1 })],
  ['watch', wrapper('-n -d --interval', { isText: true })],
  ['strace', wrapper('-e -f -o -p -s -u -P')],
  ['ltrace', wrapper('-e -o -u')],
  ['flock', wrapper('-w -E', { operands: 1 })],
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
  'sh bash dash zsh ksh ash fish mksh rbash yash'.split(' '),
);

/** Variables whose value programs run as a command. */
export const RUN_VARIABLES: ReadonlySet<string> = new Set(
  'PROMPT_COMMAND BASH_ENV ENV GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS PAGER MANPAGER EDITOR VISUAL LESSOPEN'.split(
    ' ',
  ),
);

/** Where the operands of a program begin: behind its options and their values. */
export function behindOptions(words: readonly string[], takes: ReadonlySet<string>, from = 0): number {
  let at = from;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (word === '--') return at + 1;
    if (!word.startsWith('-') || word === '-') return at;
    at += takes.has(word) ? 2 : 1;
  }
  return at;
}

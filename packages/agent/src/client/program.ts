/** Launchers whose first word that is no flag is the program: a script, or the name of a package. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  'bun',
  'bunx',
  'deno',
  'node',
  'npx',
  'pipx',
  'pnpx',
  'python',
  'python3',
  'uvx',
]);
/** Words of launchers that only say how to run what follows. */
const RUNNING: ReadonlySet<string> = new Set(['exec', 'run', 'x']);
/** Flags that only say "do not ask": all others may take the next word as their value. */
const QUIET: ReadonlySet<string> = new Set(['--yes', '-y']);

/**
 * The words of a command that name what runs, without what is handed to it; undefined where that cannot be
 * told. Two commands with the same words are the same program with other arguments.
 */
export function programOf([program, ...rest]: readonly string[]): readonly string[] | undefined {
  if (program === undefined) return undefined;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (!LAUNCHERS.has(name)) return undefined;
  const at = rest.findIndex((word) => !QUIET.has(word) && !RUNNING.has(word));
  const word = at < 0 ? undefined : rest[at];
  return word === undefined || word.startsWith('-') ? undefined : [program, ...rest.slice(0, at + 1)];
}

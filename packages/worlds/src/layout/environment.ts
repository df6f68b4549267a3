/** Variables that say how programs talk to a person, and where programs are. */
const KEPT: ReadonlySet<string> = new Set([
  'CI',
  'CLICOLOR',
  'COLORTERM',
  'COLUMNS',
  'FORCE_COLOR',
  'LANG',
  'LANGUAGE',
  'LINES',
  'NO_COLOR',
  'PATH',
  'TERM',
  'TERM_PROGRAM',
  'TZ',
]);

/**
 * The part of an environment that a command in a world gets: nothing that may be a secret but what was named.
 */
export function worldEnvironment(
  all: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
): Record<string, string> {
  const isKept = (variable: string): boolean =>
    KEPT.has(variable) || variable.startsWith('LC_') || pass.includes(variable);
  return Object.fromEntries(
    Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
    ),
  );
}

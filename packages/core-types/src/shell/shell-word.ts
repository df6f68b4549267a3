const PLAIN = /^[A-Za-z0-9_./@:+][A-Za-z0-9_./@:+-]*$/;

/** A text as one word of a command that a person pastes: a name of others must not become a command. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : shellQuoted(text);
}

/** A word that each of the three shells takes as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const PRINTED = /^[ -~]*$/;

/**
 * A command that a person copies. Names are those of agents and servers: each is one word of a shell, and one
 * that a terminal would not show as it is is left out, with what follows. `left` says so.
 */
export function commandText(
  verb: readonly string[],
  names: readonly string[],
): { readonly text: string; readonly left: boolean } {
  const first = names.findIndex((name) => !PRINTED.test(name));
  const shown = first === -1 ? names : names.slice(0, first);
  return { text: ['sub', ...verb, ...shown.map(shellWord)].join(' '), left: first !== -1 };
}

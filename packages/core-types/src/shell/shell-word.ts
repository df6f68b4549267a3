const PLAIN = /^[A-Za-z0-9_./@:+][A-Za-z0-9_./@:+-]*$/;

/** A text as one word of a command that a person pastes: a name of others must not become a command. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : shellQuoted(text);
}

/** A word that each of the three shells takes as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

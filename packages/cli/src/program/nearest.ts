import { Command, CommanderError } from 'commander';

/** The words that an unknown one probably means, as commander finds them for verbs. */
export function nearest(words: readonly string[], word: string): readonly string[] {
  const probe = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  for (const one of words) probe.command(one);
  try {
    probe.parse(['--', word], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const said = /\(Did you mean (?:one of )?(.*)\?\)$/.exec(error.message)?.[1];
    return said === undefined ? [] : said.split(', ');
  }
  return [];
}

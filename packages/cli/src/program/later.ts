import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import type { Does } from './verb.js';

/** The error for a verb or flag of a later version. */
export function notAvailable(what: string): SublError {
  return new SublError('not_available', `\`${what}\` is not part of this version`, {
    help: '`sub help` lists what is',
  });
}

/** Makes a command answer `not_available` whatever else stands on the line. It is not listed in the help. */
export function defineLater(parent: Command, name: string, does: Does): void {
  const full = parent.parent === null ? `sub ${name}` : `sub ${parent.name()} ${name}`;
  parent
    .command(name, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(does(() => Promise.reject(notAvailable(full))));
}

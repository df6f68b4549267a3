import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { WorldFlags } from './flags.js';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Tells, before a run begins, of the flags that show nothing: each variable that is not set here.
 *
 * @throws SublError `usage` for a path that is not there and for a variable with no such name.
 */
export function worldRemarks(
  { read, write, pass }: WorldFlags,
  all: Readonly<Record<string, string | undefined>>,
  cwd: string,
): readonly string[] {
  for (const path of [...read, ...write])
    if (!existsSync(resolve(cwd, path)))
      throw new SublError('usage', `\`${path}\` is not there, so a world cannot show it`, {
        help: 'name a file or folder that exists: `mkdir -p` makes a folder',
      });
  for (const name of pass)
    if (!VARIABLE.test(name))
      throw new SublError('usage', `\`--pass ${name}\` names no variable`, {
        help: '`--pass NAME` hands on the value that NAME has here',
      });
  return pass
    .filter((name) => all[name] === undefined)
    .map((name) => `\`${name}\` is not set here: the world goes without it`);
}

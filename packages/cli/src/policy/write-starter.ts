import { closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { policySchemaText, SublError } from '@subluminal/core-types';
import { whyOf } from '../output/system-error.js';
import { casesFor, starters, type Starter } from './starters.js';

const SCHEMA = 'policy.schema.json';

/** The starter policy of that name. Throws `usage`, with the names that there are. */
export function starterNamed(folder: string, name: string): Starter {
  const all = starters(folder);
  const starter = all.find((one) => one.name === name);
  if (starter !== undefined) return starter;
  throw new SublError('usage', `there is no starter policy \`${name}\``, {
    help: `the starter policies are ${all.map((one) => `\`${one.name}\``).join(', ')}`,
  });
}

/**
 * Writes a starter policy to a path, with its tests and the schema beside it, and gives the files. Throws
 * `usage` if one of them exists and may not be replaced: nothing was written.
 */
export function writeStarter(starter: Starter, path: string, mayReplace: boolean): readonly string[] {
  const stem = basename(path).replace(/\.ya?ml$/, '');
  // The policy last: once it is there, a gateway loads it.
  const files = [
    { path: join(dirname(path), SCHEMA), text: policySchemaText(), mine: false },
    {
      path: join(dirname(path), `${stem}.test.yaml`),
      text: casesFor(starter, basename(path)),
      mine: true,
    },
    { path, text: starter.policy, mine: true },
  ];
  const inTheWay = files.find((file) => file.mine && existsSync(file.path));
  if (inTheWay !== undefined && !mayReplace) {
    throw new SublError('usage', `\`${inTheWay.path}\` exists`, {
      help: 'name another path, or replace it with `--force`',
    });
  }
  for (const file of files) put(file.path, file.text, !file.mine || mayReplace);
  return files.map((file) => file.path);
}

/** Never through a link: whoever laid it would choose which file is written. */
function put(path: string, text: string, mayReplace: boolean): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
  const how = mayReplace ? O_TRUNC | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) : O_EXCL;
  try {
    const file = openSync(path, O_WRONLY | O_CREAT | how, 0o600);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const isLink = Reflect.get(Object(cause), 'code') === 'ELOOP';
    const why = isLink ? 'it is a link' : whyOf(cause);
    throw new SublError('failed', `\`${path}\` cannot be written: ${why}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
}

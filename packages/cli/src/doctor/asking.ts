import { accessSync, constants, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { readTable } from '../home/settings.js';
import { found, ok, type Check } from './check.js';

/** Whether people are asked and told, as `[approvals]` says. Undefined if config.toml cannot be read. */
export function checkAsking({ config }: HomePaths): Check | undefined {
  const approvals = approvalsOf(config);
  if (approvals === undefined) return undefined;
  if (approvals['ask'] === false)
    return found(
      'approvals',
      'warn',
      'nobody is asked (`[approvals] ask = false`): a rule that asks refuses',
      'set `ask = true` in config.toml where somebody can answer',
    );
  const { notify } = approvals;
  if (!Array.isArray(notify))
    return ok('approvals', notify === false ? 'people are asked, and shown nothing' : 'people are asked');
  const [program] = notify;
  const why = typeof program === 'string' ? unfit(program) : 'is not named';
  if (why === undefined) return ok('approvals', `people are asked, and told by \`${String(program)}\``);
  return found(
    'approvals',
    'warn',
    `nobody is told of questions: \`${String(program)}\` of \`[approvals] notify\` ${why}`,
    'name a program that only you and root can write, by its absolute path, or set `notify = true`',
  );
}

function approvalsOf(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const approvals: unknown = readTable(path)?.['approvals'] ?? {};
    return typeof approvals === 'object' && approvals !== null ? { ...approvals } : undefined;
  } catch (error) {
    // The check of the configuration says what is wrong.
    if (isSublError(error)) return undefined;
    throw error;
  }
}

/** Why the gateway does not start a program to tell people; undefined if it does. */
function unfit(program: string): string | undefined {
  if (!isAbsolute(program)) return 'is not an absolute path';
  const stats = statSync(program, { throwIfNoEntry: false });
  if (stats === undefined) return 'is not there';
  if (!stats.isFile()) return 'is not a file';
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return 'cannot be run';
  }
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  for (const place of [stats, statSync(dirname(program))]) {
    const isSticky = place.isDirectory() && (place.mode & 0o1000) !== 0;
    if ((place.mode & 0o022) !== 0 && !isSticky) return 'can be written by others';
    if (place.uid !== uid && place.uid !== 0) return 'belongs to somebody else';
  }
  return undefined;
}

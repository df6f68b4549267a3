import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { SublError } from '@subluminal/core-types';

/**
 * The absolute path of a program as the operator's own shell finds it, whatever lies in the `PATH` of a
 * client, and never in the folder that somebody works in. Throws `usage`.
 */
export function findProgram(name: string, path: string): string {
  if (isAbsolute(name)) return name;
  const found = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isProgram);
  if (found !== undefined && !/[\\/]/.test(name)) return found;
  throw new SublError('usage', `the program \`${name}\` was not found`, {
    help: 'give its absolute path, or a name that is in your PATH',
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

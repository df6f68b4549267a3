import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from './paths.js';

/**
 * The paths of a home as they are in the world of an agent: there the home has the folder of the world's
 * door, which is a mount that nobody inside can replace, and the gateway's own socket is not to be seen. Of
 * any other home they are the same.
 */
export function byWorldDoor(paths: HomePaths): HomePaths {
  const door = join(paths.home, 'door');
  return existsSync(door) ? { ...paths, socket: join(door, 's') } : paths;
}

import { mkdirSync } from 'node:fs';
import { assertHome, type HomePaths } from '@subluminal/ipc';

/**
 * Makes the home folder (0700) unless it is there, and checks that it is ours alone: `home_unsafe` otherwise. Only the
 * verbs that may begin a home call this; what stands in it is the gateway's to make.
 */
export function createHome(home: HomePaths): void {
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  assertHome(home);
}

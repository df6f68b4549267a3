import type { HomePaths } from '@subluminal/ipc';
import { type KeyRing, writePrivateFile } from '@subluminal/gateway';

/**
 * Writes `keys/operator` and `keys/enrol`, each whole or not at all; a client that reads meanwhile gets the
 * old or the new.
 */
export function writeKeyFiles(paths: HomePaths, keys: KeyRing): void {
  writePrivateFile(paths.operatorKey, `${JSON.stringify(keys.credential('operator', 'operator'))}\n`);
  writePrivateFile(paths.enrolKey, `${JSON.stringify(keys.credential('enrol', 'enrol'))}\n`);
}

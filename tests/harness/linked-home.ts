import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a home with the key and the socket of another and no ticket, as an agent can. */
export function linkHome(home: string, at: string): string {
  for (const folder of [at, join(at, 'keys'), join(at, 'run')]) mkdirSync(folder, { mode: 0o700 });
  copyFileSync(join(home, 'keys', 'operator'), join(at, 'keys', 'operator'));
  symlinkSync(join(home, 'run', 'gateway.sock'), join(at, 'run', 'gateway.sock'));
  return at;
}

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';
import { readState } from '../../clients/file/file-state.js';

/** The file that says to a guard that the hooks of a client are answered, and by which process. */
export interface ServerMark {
  readonly set: () => void;
  readonly clear: () => void;
}

/** The mark of the server `pid`, which the client `client` started. Marks of clients that are gone go. */
export function serverMark(folder: string, client: number, pid: number): ServerMark {
  const path = join(folder, `${client}`);
  return {
    set: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder))
        if (processIdentity(Number(name)) === undefined) rmSync(join(folder, name), { force: true });
      writeFileSync(path, `${pid}\n`, { mode: 0o600 });
    },
    clear: () => {
      // The client may have started another server since.
      if (readState(path)?.text === `${pid}\n`) rmSync(path);
    },
  };
}

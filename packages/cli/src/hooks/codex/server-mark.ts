import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';

/** The file that says to a guard that a server answers the hooks of a client. */
export interface ServerMark {
  readonly set: () => void;
  readonly clear: () => void;
}

/**
 * The mark of the server `pid`, which the client `client` started. One client may have several, as for its
 * subagents. Marks of processes that are gone go.
 */
export function serverMark(folder: string, client: number, pid: number): ServerMark {
  const own = join(folder, `${client}`);
  let isSet = false;
  return {
    set: () => {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      for (const place of [folder, own])
        for (const name of readdirSync(place))
          if (processIdentity(Number(name)) === undefined)
            rmSync(join(place, name), { force: true, recursive: true });
      writeFileSync(join(own, `${pid}`), '', { mode: 0o600 });
      isSet = true;
    },
    clear: () => {
      if (isSet) rmSync(join(own, `${pid}`), { force: true });
    },
  };
}

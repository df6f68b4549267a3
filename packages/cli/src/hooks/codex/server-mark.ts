import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';

/** The file that says to a guard that a server answers the hooks of a client. */
export interface ServerMark {
  /** The server runs, and cannot answer yet. */
  readonly starting: () => void;
  /** It answers. */
  readonly set: () => void;
  readonly clear: () => void;
}

/**
 * The mark of the server `pid`, which the client `client` started. One client may have several, as for its
 * subagents. Marks of processes that are gone go.
 */
export function serverMark(folder: string, client: number, pid: number): ServerMark {
  const own = join(folder, `${client}`);
  const [ready, starting] = [join(own, `${pid}`), join(own, `${pid}.`)];
  let isMade = false;
  return {
    starting: () => {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      for (const place of [folder, own])
        for (const name of readdirSync(place))
          if (processIdentity(Number.parseInt(name, 10)) === undefined)
            rmSync(join(place, name), { force: true, recursive: true });
      writeFileSync(starting, '', { mode: 0o600 });
      isMade = true;
    },
    set: () => {
      if (isMade) renameSync(starting, ready);
    },
    clear: () => {
      if (isMade) for (const mark of [ready, starting]) rmSync(mark, { force: true });
    },
  };
}

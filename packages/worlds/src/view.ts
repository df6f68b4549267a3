import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { assertApart, worldFolder } from './layout/folder.js';
import { worldIdentity, type WorldIdentity } from './layout/user.js';

/** The files that a world is asked to show. */
export interface AskedView {
  /** The folder that a program starts in. The project around it may be written. */
  readonly cwd: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The world writes the project itself, and no layer over it. */
  readonly writesThrough: boolean;
  /** The gateway's home, whose keys and socket are no world's. */
  readonly gatewayHome: string;
}

/** The files of the machine that a world shows, each by its real path. */
export interface WorldView extends AskedView {
  readonly identity: WorldIdentity;
  readonly folder: string;
}

/**
 * Reads what a world is to show. Throws `usage` for a folder that confines nothing, for a path that is not
 * there or leads elsewhere, and for one that shows the gateway's home.
 */
export function worldView({ cwd, read, write, writesThrough, gatewayHome }: AskedView): WorldView {
  const identity = worldIdentity();
  const start = realpathSync(cwd);
  const folder = worldFolder(start, identity.user.home);
  const view = {
    identity,
    cwd: start,
    folder,
    read: read.map((path) => existing(resolve(start, path))),
    write: write.map((path) => existing(resolve(start, path))),
    writesThrough,
    gatewayHome,
  };
  assertApart([folder, ...view.read, ...view.write], gatewayHome);
  return view;
}

/** A path that is what it says: a link in it may be a program's, which has it lead to what nobody named. */
function existing(path: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (cause) {
    throw new SublError('usage', `\`${path}\` is not there, so a world cannot show it`, {
      cause,
      help: 'name a file or folder that exists: `mkdir -p` makes a folder',
    });
  }
  if (real === path) return real;
  throw new SublError('usage', `\`${path}\` leads by a link to \`${real}\``, {
    help: 'name that path itself, if a world may have it',
  });
}

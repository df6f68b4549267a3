import { existsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { type Place, placeOf } from '@subluminal/readings';

/** The places of this machine for a run that works in a folder. */
export function placeHere(folder: string | undefined): Place {
  return placeOf(folder, { home: userInfo().homedir, tmp: tmpdir(), exists: existsSync });
}

import { readdirSync, readlinkSync } from 'node:fs';

/** Whether `openFilesIn` can tell. */
export const KNOWS_OPEN_FILES = process.platform === 'linux';

/** The files below a folder that this process has open. */
export function openFilesIn(folder: string): string[] {
  const open = readdirSync('/proc/self/fd').flatMap((fd) => leadsTo(`/proc/self/fd/${fd}`));
  return open.filter((path) => path.startsWith(folder)).toSorted();
}

function leadsTo(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    // The descriptor of the listing itself is gone by now.
    return [];
  }
}

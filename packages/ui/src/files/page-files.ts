import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
]);
const MAX_FILES = 64;

/** The one file that every view begins with. */
export const INDEX = 'index.html';

/** Where the build puts the page: beside this file, and beside the bundle that holds it. */
export const PAGE_FOLDER = fileURLToPath(new URL('./page/', import.meta.url));

/**
 * Reads the page's files, by their names. They are read once, when the door opens, so that no path of a
 * request ever reaches the disk. Empty where the page was not built.
 */
export function readPage(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of namesIn(folder).slice(0, MAX_FILES)) {
    const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1));
    if (type !== undefined) files.set(name, { type, bytes: readFileSync(join(folder, name)) });
  }
  return files;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

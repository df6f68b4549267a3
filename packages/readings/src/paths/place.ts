import type { Place } from './normal.js';

/** Files that make a folder a project. */
const MARKS = ['.git', '.subluminal.yaml'];
const MAX_FOLDERS = 64;

/**
 * The places of a run that works in `folder`: its project is the nearest folder above with one of `MARKS`,
 * else the folder itself; `/` and the home are none.
 */
export function placeOf(
  folder: string | undefined,
  {
    home,
    tmp,
    exists,
  }: { readonly home: string; readonly tmp: string; readonly exists: (path: string) => boolean },
): Place {
  if (folder === undefined || !folder.startsWith('/')) return { project: undefined, home, tmp, cwd: [home] };
  const found = foldersAbove(folder).find((one) =>
    MARKS.some((mark) => exists(`${one === '/' ? '' : one}/${mark}`)),
  );
  const project = found ?? folder;
  const isProject = project !== '/' && project !== home;
  const cwd = [...new Set([folder, ...(isProject ? [project] : [])])];
  return { project: isProject ? project : undefined, home, tmp, cwd };
}

/** From the inside out. */
function foldersAbove(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '');
  const all = names.map((_, at) => `/${names.slice(0, names.length - at).join('/')}`);
  return [...all, '/'].slice(0, MAX_FOLDERS);
}

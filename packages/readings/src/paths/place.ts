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
  const found = marksAbove(folder).find(({ marks }) => marks.some((mark) => exists(mark)));
  return placeIn(folder, found?.folder, { home, tmp });
}

/** A folder that would be a project with one of these files in it. */
export interface MarkedFolder {
  readonly folder: string;
  readonly marks: readonly string[];
}

/** The folders that may be the project of a run that works in `folder`, the nearest first. */
export function marksAbove(folder: string | undefined): readonly MarkedFolder[] {
  if (folder === undefined || !folder.startsWith('/')) return [];
  return foldersAbove(folder).map((one) => ({
    folder: one,
    marks: MARKS.map((mark) => `${one === '/' ? '' : one}/${mark}`),
  }));
}

/** The places of a run that works in `folder`, where the nearest folder with a mark is `found`. */
export function placeIn(
  folder: string | undefined,
  found: string | undefined,
  { home, tmp }: { readonly home: string; readonly tmp: string },
): Place {
  if (folder === undefined || !folder.startsWith('/')) return { project: undefined, home, tmp, cwd: [home] };
  const project = found ?? folder;
  const isProject = project !== '/' && project !== home;
  const cwd = [...new Set([folder, ...(isProject ? [project] : [])])];
  return { project: isProject ? project : undefined, home, tmp, cwd };
}

/** The place of a call whose names may also be meant from other folders: `~` is the home. */
export function alsoFrom(place: Place, folders: readonly string[]): Place {
  const more = folders.map((folder) => (folder === '~' ? place.home : folder));
  const others = more.filter((folder) => folder.startsWith('/') && !place.cwd.includes(folder));
  return others.length === 0 ? place : { ...place, cwd: [...new Set([...place.cwd, ...others])] };
}

/** From the inside out. */
function foldersAbove(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '');
  const all = names.map((_, at) => `/${names.slice(0, names.length - at).join('/')}`);
  return [...all, '/'].slice(0, MAX_FOLDERS);
}

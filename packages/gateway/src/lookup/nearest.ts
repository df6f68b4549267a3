import { posix } from 'node:path';

/** Gives a path without links; undefined if nothing is there. It throws if it cannot be told. */
export type ResolvePath = (path: string) => Promise<string | undefined>;

/** The longest part of a path that is there, without links, and the rest after it. Throws once it is late. */
export async function nearest(path: string, resolve: ResolvePath, isLate: () => boolean): Promise<string> {
  for (let part = path, rest = ''; part !== '';) {
    if (isLate()) throw new Error('it is too late');
    const found = await resolve(part);
    if (found !== undefined) return posix.normalize(`${found}${rest}`);
    const end = part.lastIndexOf('/');
    rest = part.slice(end) + rest;
    part = part.slice(0, end);
  }
  return posix.normalize(path);
}

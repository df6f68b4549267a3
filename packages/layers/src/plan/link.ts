import { type BytePath, namesOf } from '../files/byte-path.js';

/**
 * Tells whether a link may lead out of the project, by its text. A link may go up at its beginning alone, and
 * no further than the project's folder: a `..` behind another name is a way out as soon as that name is a
 * link, too.
 */
export function leadsOut(path: BytePath, target: BytePath): boolean {
  if (target === '' || target.startsWith('/')) return true;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const down = names.findIndex((name) => name !== '..');
  const ups = down === -1 ? names.length : down;
  return ups > namesOf(path).length - 1 || names.slice(ups).includes('..');
}

import type { Change } from '../diff/change.js';
import { namesOf, split } from '../files/byte-path.js';
import type { Folders } from '../files/folders.js';
import { gitPartOf } from './git.js';
import type { RefusalKind } from './left.js';
import { leadsOut } from './link.js';

/** Names that the commit gives to files on their way. */
const OWN_NAME = /^\.sub-/;
/** A file may have holes of so many bytes in all. */
const MOST_HOLE = 1_073_741_824n;
const BLOCK_BYTES = 512n;

/** Objects, which git names by their content, are added alone, and files that it has in work are its own. */
export function isKept({ path, how }: Change): boolean {
  const part = gitPartOf(path);
  if (part === 'passing') return true;
  return (
    (part === 'object' || part === 'object_folder') &&
    (how === 'deleted' || how === 'mode' || how === 'touched')
  );
}

/** Why no commit takes a change over; undefined: one may. */
export function refusalOf({ path, how, after }: Change, upper: Folders): RefusalKind | undefined {
  const names = namesOf(path);
  const isNone =
    path === '' || names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'));
  if (isNone || names.some((name) => OWN_NAME.test(name))) return 'name';
  if (after === undefined) return undefined;
  if (after.kind === 'other') return 'special';
  if (after.kind === 'link' && (after.target === undefined || leadsOut(path, after.target)))
    return 'leads_out';
  if (how !== 'added' && gitPartOf(path) === 'object') return 'git_object';
  if (after.kind !== 'file' || BigInt(after.size) <= MOST_HOLE) return undefined;
  const { folder, name } = split(path);
  const blocks = upper.at(folder)?.look(name)?.blocks ?? 0n;
  return BigInt(after.size) - blocks * BLOCK_BYTES > MOST_HOLE ? 'hole' : undefined;
}

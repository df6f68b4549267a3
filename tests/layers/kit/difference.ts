import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

type Tree = ReadonlyMap<string, string>;

/**
 * How two trees differ, path by path, in the words of a diff. A file whose time alone is another does not.
 */
export function differenceOf(before: string, after: string): Readonly<Record<string, string>> {
  const [old, fresh] = [treeOf(before), treeOf(after)];
  const found: Record<string, string> = {};
  for (const path of new Set([...old.keys(), ...fresh.keys()])) {
    const [was, is] = [old.get(path), fresh.get(path)];
    if (was === is) continue;
    if (was === undefined) found[path] = 'added';
    else if (is === undefined) found[path] = 'deleted';
    else found[path] = wordFor(was, is);
  }
  return found;
}

function wordFor(was: string, is: string): string {
  const [kind, , content] = was.split('|');
  const [newKind, , newContent] = is.split('|');
  if (kind !== newKind) return 'replaced';
  return content === newContent ? 'mode' : 'modified';
}

/** Each path with its kind, mode and content; a character of it is a byte. */
export function treeOf(root: string): Tree {
  const tree = new Map<string, string>();
  const look = (folder: string): void => {
    for (const name of readdirSync(bytes(join(root, folder)), { encoding: 'latin1' })) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = lstatSync(bytes(join(root, path)));
      tree.set(path, described(bytes(join(root, path)), stats));
      if (stats.isDirectory()) look(path);
    }
  };
  look('');
  return tree;
}

function bytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

function described(path: Buffer, stats: Stats): string {
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isSymbolicLink()) return `link||${readlinkSync(path)}`;
  if (stats.isDirectory()) return `folder|${mode}|`;
  return stats.isFile() ? `file|${mode}|${readFileSync(path, 'hex')}` : `other|${mode}|`;
}

import { touch, type Effect } from './effect.js';
import type { Operands } from './touch.js';

/** `tar`, with its mode in the first word or in options. */
export const tar: Effect = (operands) => {
  const mode = operands.words.find((word) => /^-?[a-zA-Z]*[cxturA][a-zA-Z]*$/.test(word)) ?? '';
  const bundle = operands.words.findIndex((word) => /^-?[a-zA-Z]*f$/.test(word));
  const named = operands.values('-f', '--file');
  const files = named.length > 0 || bundle === -1 ? named : operands.words.slice(bundle + 1, bundle + 2);
  const { folders, names } = inFolders(operands, new Set([mode, ...files]));
  const top = operands.values('--one-top-level');
  if (mode.includes('x') || operands.words.some((word) => /^--(?:ext|ge)/.test(word)))
    return [...touch('write', [...(folders.length > 0 ? folders : ['.']), ...top]), ...touch('read', files)];
  if (/[cru]/.test(mode) || operands.words.some((word) => word.startsWith('--cre')))
    return [
      ...touch('write', files),
      ...touch(operands.words.some((word) => word.startsWith('--remove-f')) ? 'delete' : 'read', names, true),
    ];
  return touch('read', files);
};

const FOLDER = ['-C', '--directory'];

/** The folders that it changes to, each from the one before, and its names in the folder of their place. */
function inFolders(
  operands: Operands,
  others: ReadonlySet<string>,
): { readonly folders: readonly string[]; readonly names: readonly string[] } {
  const { words } = operands;
  const folders: string[] = [];
  const names: string[] = [];
  const from = (name: string): string => {
    const folder = folders.at(-1);
    return folder === undefined || /^[/~]/.test(name) ? name : `${folder}/${name}`;
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const folder = operands.valueAt(at, FOLDER);
    if (folder !== undefined) {
      folders.push(from(folder));
      if (!word.endsWith(folder)) at += 1;
    } else if (!word.startsWith('-') && !others.has(word)) names.push(from(word));
  }
  return { folders, names };
}

import type { Access } from '../effects/touch.js';

/** A file that a patch names. */
export interface PatchedFile {
  readonly name: string;
  readonly access: Access;
}

const MOST = 256;
const FILE =
  /^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$|^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;

/** The files of a patch, in the form of `apply_patch` or as a unified diff. */
export function patchedFiles(text: string): readonly PatchedFile[] {
  const found: PatchedFile[] = [];
  for (const [, verb, own, moved, diffed] of text.matchAll(FILE)) {
    const name = (own ?? moved ?? diffed ?? '').trim();
    if (name === '' || name === '/dev/null') continue;
    found.push({ name, access: verb === 'Delete' ? 'delete' : 'write' });
    if (found.length === MOST) break;
  }
  return found;
}

/** Whether a text is a patch in the form of `apply_patch`. */
export function isPatch(text: string): boolean {
  return text.startsWith('*** Begin Patch');
}

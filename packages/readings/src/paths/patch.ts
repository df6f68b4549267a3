import type { Access } from '../effects/touch.js';

/** A file that a patch names. */
export interface PatchedFile {
  readonly name: string;
  readonly access: Access;
}

/** Files of one patch; one with more is not read. */
export const MOST_PATCHED = 256;
const FILE =
  /^\s*\*\*\*\s+(Add|Update|Delete)\s+File:\s*(.+)$|^\s*\*\*\*\s+Move\s+to:\s*(.+)$|^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;

/** The files of a patch, in the form of `apply_patch` or as a unified diff. */
export function patchedFiles(text: string): readonly PatchedFile[] {
  const found: PatchedFile[] = [];
  for (const [, verb, own, moved, diffed] of text.matchAll(FILE)) {
    const name = (own ?? moved ?? diffed ?? '').trim();
    if (name === '' || name === '/dev/null') continue;
    found.push({ name, access: verb === 'Delete' ? 'delete' : 'write' });
    if (found.length > MOST_PATCHED) break;
  }
  return found;
}

/** Whether a tool takes nothing but patches, whatever the key. */
export function isPatchTool(tool: string): boolean {
  return /^apply_?patch$/i.test(tool);
}

/**
 * Whether a text is a patch: all that a tool for patches takes, else what has its form and stands where
 * patches do. A command that begins like a patch is a command.
 */
export function isPatch(tool: string, key: string, text: string): boolean {
  if (isPatchTool(tool)) return true;
  return (key === 'input' || key === 'patch') && text.startsWith('*** Begin Patch');
}

import { closeSync, fstatSync, readSync } from 'node:fs';
import { sha256Hex, writeHidden } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import { structuredPatch } from 'diff';
import type { Change, FileState } from '../diff/change.js';
import { type BytePath, shown, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';

/** Both sides of a layer. */
export interface PatchSides {
  readonly project: Folders;
  readonly upper: Folders;
}

/** Files of more bytes are told, and not compared. */
const MOST_BYTES = 524_288;
/** Lines that differ; and the time of one comparison. */
const MOST_EDITS = 20_000;
const MOST_MS = 2000;
const CONTEXT = 3;
/** A file with such a byte early on is none of text. */
const LOOKED_AT = 8000;
const MODE_DIGITS = 6;
const FILE_BITS = 0o100000;

/** All these changes, one after the other, as `patchOf` gives each. */
export function* patchesOf(
  changes: readonly Change[],
  { project, upper }: { readonly project: Folder; readonly upper: Folder },
): Generator<readonly string[]> {
  const sides = { project: new Folders(project), upper: new Folders(upper) };
  try {
    for (const change of changes) yield patchOf(change, sides);
  } finally {
    sides.project.close();
    sides.upper.close();
  }
}

/**
 * A change for people, as lines of a unified diff. It is for reading: a character that could act on a
 * terminal is written as `\x1b`, and files that are large or no text are told, and not compared.
 */
export function patchOf(change: Change, sides: PatchSides): readonly string[] {
  const { path, before, after } = change;
  const name = shown(path);
  const head = [`diff --sub a/${name} b/${name}`, ...modeLines(before, after)];
  const isGone = before !== undefined && sides.project.look(path) === undefined;
  const old = isGone ? NOTHING : sideOf(path, before, sides.project);
  const fresh = sideOf(path, after, sides.upper);
  if (old === undefined || fresh === undefined)
    return [...head, 'too large to compare, or it cannot be read'];
  // Other bytes than those of a hash that is known are never shown: a yes would be to these.
  if (after?.sha256 !== undefined && sha256Hex(fresh) !== after.sha256)
    return [...head, 'it changed in the layer while it was looked at'];
  if (old instanceof Buffer && fresh instanceof Buffer && old.equals(fresh)) return head;
  const [oldText, freshText] = [textOf(old), textOf(fresh)];
  if (oldText === undefined || freshText === undefined) return [...head, 'no text: binary files differ'];
  const patch = structuredPatch(name, name, oldText, freshText, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MOST_EDITS,
    timeout: MOST_MS,
  });
  if (patch === undefined) return [...head, 'too many lines differ to compare them'];
  return [
    ...head,
    before === undefined ? '--- /dev/null' : `--- a/${name}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${name}`,
    ...patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${placeOf(oldStart, oldLines)} +${placeOf(newStart, newLines)} @@`,
      ...lines.map(plainLine),
    ]),
  ];
}

/** Of no lines, a place is the line before them. */
function placeOf(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function modeLines(before: FileState | undefined, after: FileState | undefined): readonly string[] {
  if (before === undefined && after !== undefined) return [`new ${after.kind}, mode ${octal(after)}`];
  if (before !== undefined && after === undefined) return [`deleted ${before.kind}`];
  if (before === undefined || after === undefined) return [];
  if (before.kind !== after.kind) return [`${before.kind} becomes ${after.kind}`];
  return before.mode === after.mode || after.kind === 'link'
    ? []
    : [`old mode ${octal(before)}`, `new mode ${octal(after)}`];
}

function octal({ kind, mode }: FileState): string {
  return (kind === 'file' ? FILE_BITS | mode : mode).toString(8).padStart(MODE_DIGITS, '0');
}

/** The bytes of a file, the text of a link, else nothing; undefined: they are not to be had. */
function sideOf(path: BytePath, state: FileState | undefined, folders: Folders): Buffer | undefined {
  if (state === undefined || state.kind === 'folder' || state.kind === 'other') return NOTHING;
  if (state.kind === 'link') return Buffer.from(`${state.target ?? ''}\n`, 'latin1');
  if (state.size > MOST_BYTES) return undefined;
  const { folder, name } = split(path);
  let file: number | undefined;
  try {
    file = folders.at(folder)?.file(name);
    if (file === undefined || !fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    let size = 0;
    for (
      let count = readSync(file, bytes, 0, bytes.length, null);
      count > 0;
      count = readSync(file, bytes, size, bytes.length - size, null)
    ) {
      size += count;
      if (size > MOST_BYTES) return undefined;
    }
    return bytes.subarray(0, size);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENXIO')) return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const NOTHING = Buffer.alloc(0);

/** Undefined for bytes that are no text. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return undefined;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes) ? undefined : text;
}

function plainLine(line: string): string {
  return writeHidden(line, (character) =>
    character === '\t' ? character : `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isSublError, type JsonValue, numberAt, parseJson, textAt, valueAt } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, bytePath } from '../files/byte-path.js';
import type { FileState, Kind } from './change.js';

/** The project's side of a path when its change was first seen. */
export interface Base {
  readonly before: FileState | undefined;
  readonly isStale: boolean;
  /** The layer's file that a commit has taken over there; undefined: none, or that is not known. */
  readonly taken?: Pick<FileState, 'inode' | 'changedAt'> | undefined;
}

const KINDS: readonly Kind[] = ['file', 'folder', 'link', 'other'];

/**
 * Remembers, in a file of the layer, how the project was where the world changed it: by that one knows later
 * whether somebody else changed it, too. A line that a crash cut off is left out: its path is then compared
 * with the beginning of the layer, which is the stricter reading.
 */
export class Bases {
  readonly #file: string;
  readonly #known = new Map<BytePath, Base>();
  /** Lines of the file, those among them that others have made void. */
  #lines: number;

  constructor(file: string) {
    this.#file = file;
    this.#lines = readBases(file, this.#known);
  }

  /** The paths of which something is remembered. */
  get size(): number {
    return this.#known.size;
  }

  of(path: BytePath): Base | undefined {
    return this.#known.get(path);
  }

  /** Keeps the first word on each path. */
  add(all: readonly (Base & { readonly path: BytePath })[]): void {
    const fresh = all.filter(({ path }) => !this.#known.has(path));
    if (fresh.length === 0) return;
    for (const { path, before, isStale, taken } of fresh) this.#known.set(path, { before, isStale, taken });
    this.#append(fresh.map(lineOf));
  }

  /** Forgets all paths but those. */
  keepOnly(isKept: (path: BytePath) => boolean): void {
    this.forget([...this.#known.keys()].filter((path) => !isKept(path)));
  }

  /** Forgets paths that do not differ any more: the next change of one begins anew. */
  forget(paths: readonly BytePath[]): void {
    const known = paths.filter((path) => this.#known.delete(path));
    if (known.length === 0) return;
    this.#append(known.map(goneLine));
  }

  /**
   * Writes the file anew if most of its lines are void. The caller is the only one who writes to the layer: a
   * line that another process adds meanwhile would be lost.
   */
  compact(): void {
    if (this.#lines < 2 * this.#known.size + FEW_LINES) return;
    const fresh = `${this.#file}.new`;
    const lines = [...this.#known].map(([path, base]) => `${lineOf({ path, ...base })}\n`);
    writeFileSync(fresh, lines.join(''), { mode: 0o600, flush: true });
    renameSync(fresh, this.#file);
    this.#lines = lines.length;
  }

  #append(lines: readonly string[]): void {
    appendFileSync(this.#file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    this.#lines += lines.length;
  }
}

/** A file of so many void lines is not written anew for them. */
const FEW_LINES = 1000;

/** A path of which nothing is remembered from there on. */
function goneLine(path: BytePath): string {
  return JSON.stringify({ path, gone: true });
}

function lineOf({ path, before, isStale, taken }: Base & { readonly path: BytePath }): string {
  const { kind, mode, size, inode, changedAt, modifiedAt, sha256, target } = before ?? {};
  return JSON.stringify({
    path,
    stale: isStale,
    ...(taken === undefined ? {} : { taken: [String(taken.inode), String(taken.changedAt)] }),
    ...(kind === undefined
      ? {}
      : {
          kind,
          mode,
          size,
          inode: String(inode),
          changed: String(changedAt),
          modified: String(modifiedAt),
          ...(sha256 === undefined ? {} : { sha256 }),
          ...(target === undefined ? {} : { target }),
        }),
  });
}

/** Reads a file into `known`, and gives the number of its lines. */
function readBases(file: string, known: Map<BytePath, Base>): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
  const lines = text.split('\n');
  for (const line of lines) {
    const said = jsonOf(line);
    const path = bytePath(Buffer.from(textAt(said, 'path'), 'latin1'));
    if (valueAt(said, 'gone') === true) known.delete(path);
    else if (path !== '' && !known.has(path)) known.set(path, baseOf(said));
  }
  return lines.length - 1;
}

/** Null for a line that was cut off. */
function jsonOf(line: string): JsonValue {
  try {
    return parseJson(line);
  } catch (error) {
    if (isSublError(error)) return null;
    throw error;
  }
}

function baseOf(said: JsonValue): Base {
  const isStale = valueAt(said, 'stale') !== false;
  const kind = KINDS.find((one) => one === textAt(said, 'kind'));
  const taken = takenAt(said);
  if (kind === undefined) return { before: undefined, isStale, taken };
  const [sha256, target] = [textAt(said, 'sha256'), textAt(said, 'target')];
  const before = {
    kind,
    mode: numberAt(said, 'mode') ?? 0,
    size: numberAt(said, 'size') ?? 0,
    inode: BigInt(textAt(said, 'inode')),
    changedAt: BigInt(textAt(said, 'changed')),
    modifiedAt: BigInt(textAt(said, 'modified')),
    sha256: sha256 === '' ? undefined : sha256,
    target: kind === 'link' ? bytePath(Buffer.from(target, 'latin1')) : undefined,
  };
  return { before, isStale, taken };
}

const NUMBER = /^\d{1,20}$/;

function takenAt(said: JsonValue): Base['taken'] {
  const taken = valueAt(said, 'taken');
  const [inode, changedAt] = Array.isArray(taken) ? taken : [];
  const isSaid = typeof inode === 'string' && typeof changedAt === 'string';
  if (!isSaid || !NUMBER.test(inode) || !NUMBER.test(changedAt)) return undefined;
  return { inode: BigInt(inode), changedAt: BigInt(changedAt) };
}

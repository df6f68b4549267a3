import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Recorded } from './recording.js';

const SECTOR = 512;

/** A number from 0 to below 1. */
export type Random = () => number;

/** The same sequence for the same seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file: what was synced, and what was written since. */
class DiskFile {
  #durable: Buffer = Buffer.alloc(0);
  #pending: Change[] = [];

  change(change: Change): void {
    this.#pending.push(change);
  }

  sync(): void {
    this.#durable = applied(this.#durable, this.#pending);
    this.#pending = [];
  }

  /**
   * After a power cut: everything synced, and of the rest whatever sectors the disk had got to, in any order.
   */
  content(keeps: () => boolean): Buffer {
    const kept = this.#pending.flatMap((change): Change[] => {
      if ('size' in change) return keeps() ? [change] : [];
      const sectors: Change[] = [];
      for (let from = 0; from < change.bytes.length;) {
        const length = SECTOR - ((change.at + from) % SECTOR);
        if (keeps())
          sectors.push({ at: change.at + from, bytes: change.bytes.subarray(from, from + length) });
        from += length;
      }
      return sectors;
    });
    return applied(Buffer.from(this.#durable), kept);
  }
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let grown = content;
  for (const change of changes) {
    const size = 'size' in change ? change.size : change.at + change.bytes.length;
    if ('size' in change && size < grown.length) grown = grown.subarray(0, size);
    if (size > grown.length) grown = Buffer.concat([grown, Buffer.alloc(size - grown.length)]);
    if ('bytes' in change) change.bytes.copy(grown, change.at);
  }
  return grown;
}

type Node = DiskFile | 'folder';
interface NameChange {
  readonly path: string;
  /** Undefined: the name is gone. */
  readonly node: Node | undefined;
  /** A rename takes this name away in the same step. */
  readonly from?: string;
}

/** A disk as a process writes it, which can be looked at as if the power had failed at this moment. */
export class Disk {
  /** What the process sees. */
  readonly #names = new Map<string, Node>();
  /** What a power cut leaves: names survive when their folder was synced. */
  readonly #durable = new Map<string, Node>();
  readonly #pending = new Map<string, NameChange[]>();

  /** `folders` exist before anything is recorded. */
  constructor(folders: readonly string[]) {
    for (const folder of folders) {
      this.#names.set(folder, 'folder');
      this.#durable.set(folder, 'folder');
    }
  }

  take({ op, path, other, at, bytes }: Recorded): void {
    const file = this.#names.get(path);
    if (op === 'create') this.#rename({ path, node: new DiskFile() });
    else if (op === 'mkdir') this.#rename({ path, node: 'folder' });
    else if (op === 'unlink') this.#rename({ path, node: undefined });
    else if (op === 'rename') this.#rename({ path: other, node: file, from: path });
    else if (op === 'link') this.#rename({ path: other, node: file });
    else if (op === 'sync' && file === 'folder') this.#syncFolder(path);
    else if (file instanceof DiskFile) {
      if (op === 'sync') file.sync();
      if (op === 'write') file.change({ at, bytes });
      if (op === 'truncate') file.change({ size: at });
    }
  }

  #rename(change: NameChange): void {
    if (change.from !== undefined) this.#names.delete(change.from);
    set(this.#names, change.path, change.node);
    const folder = dirname(change.path);
    const waiting = this.#pending.get(folder) ?? [];
    this.#pending.set(folder, [...waiting, change]);
  }

  #syncFolder(folder: string): void {
    for (const change of this.#pending.get(folder) ?? []) apply(this.#durable, change);
    this.#pending.delete(folder);
  }

  /**
   * What a power cut leaves at this moment, written below `target` in the place of `root`. Of each folder's
   * names that were not synced the first few are there, as file systems with a journal keep their order.
   */
  cutPower(random: Random, root: string, target: string): void {
    const names = new Map(this.#durable);
    const keeping = random() < 0.25 ? Math.round(random()) : random();
    const keeps = (): boolean => random() < keeping;
    for (const changes of this.#pending.values()) {
      for (const change of changes) {
        if (!keeps()) break;
        apply(names, change);
      }
    }
    const there = (path: string): boolean =>
      path === root || (names.get(path) === 'folder' && there(dirname(path)));
    const written = new Map<Node, string>();
    for (const [path, node] of names) {
      if (!there(dirname(path)) || path === root) continue;
      const place = target + path.slice(root.length);
      if (node === 'folder') mkdirSync(place, { recursive: true, mode: 0o700 });
      else if (!path.endsWith('-shm')) {
        mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
        const other = written.get(node);
        // A file of two names stays one file.
        if (other === undefined) writeFileSync(place, node.content(keeps), { mode: 0o600 });
        else linkSync(other, place);
        written.set(node, place);
      }
    }
  }
}

function apply(names: Map<string, Node>, { path, node, from }: NameChange): void {
  if (from !== undefined) names.delete(from);
  set(names, path, node);
}

function set(names: Map<string, Node>, path: string, node: Node | undefined): void {
  if (node === undefined) names.delete(path);
  else names.set(path, node);
}

import type { EntryRef } from '../entry/input.js';
import type { StoredBlob } from '../entry/blob.js';
import type { PreparedEntry, PreparedGroup } from '../entry/prepare.js';

/**
 * Groups as one flat list of numbers and texts. Node copies such a list to another thread in a quarter of the
 * time that it takes for the objects, and a view of bytes would take all the memory along that it is a part
 * of.
 */
export type PackedGroups = readonly Packed[];

type Packed = number | string | null;

export function packGroups(groups: readonly PreparedGroup[]): PackedGroups {
  const packed: Packed[] = [];
  for (const { entries, seen, bytes } of groups) {
    packed.push(bytes, seen === null ? -1 : seen.entry, seen?.run ?? null, seen?.id ?? null, entries.length);
    for (const { kind, code, ts, run, tool, ref, data, blobs } of entries) {
      // A reference to an entry of the same group is negative.
      const to = typeof ref === 'object' && ref !== null ? -1 - ref.entry : ref;
      packed.push(kind, code, ts, run, tool, to, data, blobs.length);
      for (const blob of blobs) packed.push(blob.slot, textOf(blob.salt), textOf(blob.data));
    }
  }
  return packed;
}

export function unpackGroups(packed: PackedGroups): PreparedGroup[] {
  const reader = new Reader(packed);
  const groups: PreparedGroup[] = [];
  while (!reader.isDone) groups.push(readGroup(reader));
  return groups;
}

function readGroup(reader: Reader): PreparedGroup {
  const bytes = reader.number();
  const entry = reader.number();
  const run = reader.textOrNull();
  const id = reader.textOrNull();
  const entries = reader.many(readEntry);
  return { entries, seen: id === null ? null : { run, id, entry }, bytes };
}

function readEntry(reader: Reader): PreparedEntry {
  return {
    kind: reader.number(),
    code: reader.number(),
    ts: reader.number(),
    run: reader.textOrNull(),
    tool: reader.textOrNull(),
    ref: refOf(reader.numberOrNull()),
    data: reader.text(),
    blobs: reader.many(readBlob),
  };
}

function readBlob(reader: Reader): StoredBlob {
  return { slot: reader.text(), salt: bytesOf(reader.text()), data: bytesOf(reader.text()) };
}

function refOf(to: number | null): EntryRef | null {
  return to === null || to >= 0 ? to : { entry: -1 - to };
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** Reads a packed list from its beginning. */
class Reader {
  readonly #packed: PackedGroups;
  #at = 0;

  constructor(packed: PackedGroups) {
    this.#packed = packed;
  }

  get isDone(): boolean {
    return this.#at >= this.#packed.length;
  }

  number(): number {
    const value = this.#next();
    if (typeof value !== 'number') throw unreadable();
    return value;
  }

  numberOrNull(): number | null {
    const value = this.#next();
    if (typeof value === 'string') throw unreadable();
    return value;
  }

  text(): string {
    const value = this.#next();
    if (typeof value !== 'string') throw unreadable();
    return value;
  }

  textOrNull(): string | null {
    const value = this.#next();
    if (typeof value === 'number') throw unreadable();
    return value;
  }

  many<T>(read: (reader: Reader) => T): T[] {
    return Array.from({ length: this.number() }, () => read(this));
  }

  #next(): Packed {
    const value = this.#packed[this.#at];
    if (value === undefined) throw unreadable();
    this.#at += 1;
    return value;
  }
}

function unreadable(): TypeError {
  return new TypeError('a list of groups is not as it was packed');
}

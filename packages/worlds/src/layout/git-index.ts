import { statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { startOfFile } from './plain-file.js';
import { isThere } from './system.js';

/** The mode of an entry that is a repository of its own: `git status` goes there by itself. */
const GITLINK = 0o160000;
const MAX_INDEX = 134_217_728;
const MAX_LEAD = 4096;
/** Bytes of a path, as the kernel takes it. */
const MAX_NAME = 4096;
const HEAD = 12;
/** Of an entry, before its hash: two times, device, number, mode, owner, group, length. */
const FACTS = 40;
const MODE = 24;
const EXTENDED = 0x4000;
const NAME = 0xfff;
/** Bytes of SHA-1 and SHA-256: an index does not say which of them it has. */
const HASHES = [20, 32] as const;

/** An index of git, as far as it names other repositories. */
interface Index {
  readonly links: readonly string[];
  /** The name of another index, of which this one tells the changes alone. */
  readonly base: string | undefined;
}

/** Where a repository keeps its index; undefined if there is no repository. */
export function indexOf(folder: string): string | undefined {
  const git = join(folder, '.git');
  if (!isThere(git)) return undefined;
  try {
    if (statSync(git).isDirectory()) return join(git, 'index');
    const lead = startOfFile(git, MAX_LEAD)?.toString('utf8') ?? '';
    const place = /^gitdir: (.*)$/m.exec(lead)?.[1];
    return place === undefined ? undefined : join(place.startsWith('/') ? '/' : folder, place, 'index');
  } catch {
    // A link that leads nowhere: then git knows no repository either.
    return undefined;
  }
}

/**
 * The paths at which an index has repositories of their own, in the bytes of their names (latin1). Undefined
 * if there is an index that cannot be read as git reads it.
 */
export function gitlinksOf(index: string): ReadonlySet<string> | undefined {
  if (!isThere(index)) return new Set();
  const own = readIndexes(index);
  const bases = new Set(own.flatMap(({ base }) => base ?? []));
  const shared = [...bases].map((base) => readIndexes(join(index, '..', `sharedindex.${base}`)));
  if (own.length === 0 || shared.some((one) => one.length === 0)) return undefined;
  const links = [...own, ...shared.flat()].flatMap((one) => one.links);
  return new Set(links.map((link) => normalize(link)).filter((link) => !/^(?:\.\.)?(?:\/|$)/.test(link)));
}

/** All that the file can mean. */
function readIndexes(path: string): readonly Index[] {
  try {
    const bytes = startOfFile(path, MAX_INDEX + 1);
    if (bytes === undefined || bytes.length > MAX_INDEX) return [];
    return HASHES.flatMap((size) => readIndex(bytes, size) ?? []);
  } catch {
    // Gone, or not ours to read.
    return [];
  }
}

function readIndex(bytes: Buffer, hash: number): Index | undefined {
  const end = bytes.length - hash;
  if (end < HEAD || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let [at, name] = [HEAD, ''];
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + FACTS + hash;
    if (flagsAt + 4 > end) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const isLink = bytes.readUInt32BE(at + MODE) === GITLINK;
    const nameAt = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
    const told = flags & NAME;
    if (version === 4) {
      const cut = cutOf(bytes, nameAt, end);
      if (cut === undefined || cut.bytes > name.length) return undefined;
      const kept = name.slice(0, name.length - cut.bytes);
      const stop = told === NAME ? bytes.indexOf(0, cut.next) : cut.next + told - kept.length;
      if (stop < cut.next || stop >= end) return undefined;
      name = kept + bytes.toString('latin1', cut.next, stop);
      if (name.length > MAX_NAME) return undefined;
      at = stop + 1;
    } else {
      const stop = told === NAME ? bytes.indexOf(0, nameAt) : nameAt + told;
      if (stop < nameAt || stop >= end) return undefined;
      if (isLink) name = bytes.toString('latin1', nameAt, stop);
      // Entries begin at every eighth byte, and each name ends with a zero at least.
      at += (stop - at + 8) & ~7;
    }
    if (isLink) links.push(name);
  }
  return extended(bytes, { at, end, hash, links });
}

/** A name says how many bytes of the one before it are not its own. */
function cutOf(bytes: Buffer, at: number, end: number): { bytes: number; next: number } | undefined {
  let value = 0;
  for (let next = at; next < end && next < at + 4; next += 1) {
    const byte = bytes.readUInt8(next);
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { bytes: value, next: next + 1 };
    value += 1;
  }
  return undefined;
}

interface Entries {
  readonly at: number;
  readonly end: number;
  readonly hash: number;
  readonly links: readonly string[];
}

/** Extensions follow the entries, and fill it to the end: else it was no index with hashes of that length. */
function extended(bytes: Buffer, { at, end, hash, links }: Entries): Index | undefined {
  let base: string | undefined;
  let place = at;
  while (place + 8 <= end) {
    const next = place + 8 + bytes.readUInt32BE(place + 4);
    if (bytes.toString('latin1', place, place + 4) === 'link' && next >= place + 8 + hash) {
      const named = bytes.toString('hex', place + 8, place + 8 + hash);
      base = /^0+$/.test(named) ? undefined : named;
    }
    place = next;
  }
  return place === end ? { links, base } : undefined;
}

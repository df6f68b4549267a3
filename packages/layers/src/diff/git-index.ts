/** Versions of an index whose entries are known. */
const VERSIONS: ReadonlySet<number> = new Set([2, 3, 4]);
const HEAD = 12;
/** Bytes of an object's name, by SHA-1 or SHA-256. */
const NAMES = [20, 32] as const;
/** In an entry: times, device and inode; then the mode; then owner, group and size; then the object. */
const MODE = 24;
const OWNER = 28;
const OBJECT = 40;
const EXTENDED = 0x4000;
const LONG_NAME = 0xfff;

/**
 * Whether two indexes of git say the same of the same files, but for what git keeps of how each file was when
 * it was last looked at: `git status` writes that anew, and in a world inodes and devices are other ones.
 * False if that cannot be told.
 */
export function isSameIndex(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length || one.length < HEAD || one.toString('latin1', 0, 4) !== 'DIRC')
    return false;
  if (!VERSIONS.has(one.readUInt32BE(4))) return false;
  return NAMES.some((size) => isSameBy(size, one, other));
}

function isSameBy(nameSize: number, one: Buffer, other: Buffer): boolean {
  const isSame = (from: number, to: number): boolean => one.compare(other, from, to, from, to) === 0;
  const version = one.readUInt32BE(4);
  const end = one.length - nameSize;
  if (!isSame(0, HEAD)) return false;
  let at = HEAD;
  let path = 0;
  for (let left = one.readUInt32BE(8); left > 0; left -= 1) {
    const entry = entryAt(one, { at, end, nameSize, version, before: path });
    if (entry === undefined) return false;
    if (!isSame(at + MODE, at + OWNER) || !isSame(at + OBJECT, entry.end)) return false;
    ({ end: at, path } = entry);
  }
  // Behind the entries its extensions; the last bytes are its own hash.
  return isSame(at, end);
}

interface EntryAt {
  readonly at: number;
  readonly end: number;
  readonly nameSize: number;
  readonly version: number;
  /** Bytes of the path before it, of which version 4 keeps a part. */
  readonly before: number;
}

/** Where an entry ends, and how long its path is; undefined: it is none. */
function entryAt(
  index: Buffer,
  { at, end, nameSize, version, before }: EntryAt,
): { readonly end: number; readonly path: number } | undefined {
  const flagsAt = at + OBJECT + nameSize;
  if (flagsAt + 4 > end) return undefined;
  const flags = index.readUInt16BE(flagsAt);
  const begin = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
  const kept = version === 4 ? keptAt(index, begin, before) : { from: begin, bytes: 0 };
  if (kept === undefined) return undefined;
  const nul = index.indexOf(0, kept.from);
  if (nul === -1 || nul >= end) return undefined;
  const path = kept.bytes + nul - kept.from;
  const said = flags & LONG_NAME;
  if (said === LONG_NAME ? path < LONG_NAME : path !== said) return undefined;
  if (version === 4) return { end: nul + 1, path };
  // One to eight NULs, to a multiple of eight bytes.
  const next = at + ((nul - at + 8) & ~7);
  return next > end ? undefined : { end: next, path };
}

/** How many bytes of the path before are kept, and where the rest begins. */
function keptAt(
  index: Buffer,
  begin: number,
  before: number,
): { readonly from: number; readonly bytes: number } | undefined {
  let at = begin;
  let byte = index[at] ?? 0;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0 && dropped <= before) {
    at += 1;
    byte = index[at] ?? 0;
    dropped = (dropped + 1) * 0x80 + (byte & 0x7f);
  }
  return dropped > before ? undefined : { from: at + 1, bytes: before - dropped };
}

import type { Genesis } from '../genesis/record.js';
import type { Head } from '../head/row.js';
import { readHeadsLog, type HeadsLine } from '../head/heads-log.js';
import { undeclaredRestore } from '../restore/declared.js';
import type { Finding } from './report.js';
import type { SealWalk } from './seals.js';

/** The memory outside of the ledger, as far as there is one. */
export interface Memory {
  readonly lines: readonly HeadsLine[];
  readonly finding: Finding | null;
  /** Why it proves nothing; null where it does. */
  readonly missing: string | null;
}

/**
 * A heads.log as it was read, before or after the ledger's snapshot was taken: a live gateway may have added
 * lines meanwhile.
 */
export type ReadMemory = ReturnType<typeof readHeadsLog> | 'none given';

/** Reads heads.log. Call it on both sides of the moment at which the snapshot is taken. */
export function readMemory(headsLog: string | undefined): ReadMemory {
  return headsLog === undefined ? 'none given' : readHeadsLog(headsLog);
}

/**
 * The words of heads.log on a snapshot of `size` entries: the lines that were read before it was taken, and
 * those that a gateway has written since, as far as they speak of its entries. Its head may rest on one of
 * them. Where the log is no longer what it was with lines added, what was read before.
 */
export function memoryOf(before: ReadMemory, after: ReadMemory, size: number): ReadMemory {
  if (typeof after === 'string' || (typeof before === 'string' && before !== 'missing')) return before;
  const known = before === 'missing' ? [] : before.lines;
  const isAdded =
    (before === 'missing' || before.fingerprint === after.fingerprint) &&
    known.every((line, at) => isSame(line, after.lines[at]));
  if (!isAdded) return before;
  const added = after.lines.slice(known.length).filter((line) => line.size <= size);
  return { ...after, lines: [...known, ...added] };
}

function isSame(one: HeadsLine, other: HeadsLine | undefined): boolean {
  return (
    one.size === other?.size &&
    one.root === other.root &&
    one.ts === other.ts &&
    one.restored === other.restored
  );
}

/**
 * Holds the first line of heads.log, and the pin where one was given, against the genesis record. `older`:
 * the ledger is a backup with so many entries, and what the log knows beyond it does not count.
 */
export function checkMemory(
  genesis: Genesis,
  head: Head,
  log: ReadMemory,
  {
    pin,
    older = Number.POSITIVE_INFINITY,
  }: { readonly pin?: string | undefined; readonly older?: number | undefined },
): Memory {
  if (pin !== undefined && pin !== genesis.fingerprint) {
    return broken('genesis', 'the genesis record is not the pinned one');
  }
  if (log === 'none given') return { lines: [], finding: null, missing: 'no heads log was given' };
  if (log === 'missing') return { lines: [], finding: null, missing: 'there is no heads log' };
  if (log === 'broken') return broken('heads_log', 'the heads log is damaged');
  if (log.fingerprint !== genesis.fingerprint)
    return broken('genesis', 'the heads log belongs to another genesis');
  const lines = log.lines.flatMap((line) => recalled(line, older));
  const known = lines.at(-1)?.size;
  if (known === undefined) return { lines, finding: null, missing: 'the heads log remembers no entry' };
  const missing = known < head.mark.size ? `the heads log has lost its lines after entry ${known}` : null;
  return { lines, finding: null, missing };
}

function broken(kind: 'genesis' | 'heads_log', detail: string): Memory {
  return { lines: [], finding: { seq: 0, class: kind, detail }, missing: null };
}

/**
 * The words of a line on a backup with so many entries: the backup itself knows nothing of a restore to just
 * that size.
 */
function recalled(line: HeadsLine, size: number): HeadsLine[] {
  if (line.size > size) return [];
  return [line.size === size ? { ...line, restored: false } : line];
}

/**
 * Every restore that the heads log knows has its entry, and the other way round: whoever can write to one of
 * them alone declares nothing. A log that began behind a restore cannot know of it. `start`: entries before
 * the walk.
 */
export function checkRestores(memory: Memory, seals: SealWalk, start: number): Finding | null {
  const restores = seals.restores;
  const sizes = new Set(restores.map(({ size }) => size));
  const open = memory.lines.find((line) => line.restored && line.size >= start && !sizes.has(line.size));
  if (open !== undefined) {
    const detail = `the heads log says that the ledger was restored to ${open.size} entries, and no entry says so`;
    return { seq: open.size + 1, class: 'heads_log', detail };
  }
  const undeclared = undeclaredRestore(restores, memory.lines);
  if (undeclared === undefined) return null;
  const detail = `it says that the ledger was restored to ${undeclared} entries, and no line of the heads log says so`;
  return { seq: undeclared + 1, class: 'heads_log', detail };
}

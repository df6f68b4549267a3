import { createHash } from 'node:crypto';
import { canonicalize, type JsonObject } from '@subluminal/core-types';
import type { Change, FileState } from '../diff/change.js';
import { type BytePath, shown } from '../files/byte-path.js';
import type { Agreed, Ask, CommitPlan } from './steps.js';

/** All that a look at a layer has found: its changes, the plan of a commit of all, and what `pinned` gave. */
export interface Look {
  readonly changes: readonly Change[];
  /** Without any yes. */
  readonly plan: CommitPlan;
  /** Of what waits in the plan. */
  readonly pins: readonly Agreed[];
}

/**
 * Hashes all that a person is shown of a layer, so that their answer is to that alone. SHA-256 in hex over a
 * line of canonical JSON each: every change with its path, how, kind, mode, size, link target, and its bytes;
 * every path that waits, with why; every path that would be left, with why. The bytes of what waits are told
 * by their hash, those of other files by inode and change time, which nobody inside of a world can set. Times
 * alone are no change. Any other state of the layer has another digest, but for what a program has mapped and
 * the kernel has not written back; and so has any other state of the project that changes what a commit would
 * do.
 */
export function lookDigest({ changes, plan, pins }: Look): string {
  const hash = createHash('sha256');
  const line = (of: JsonObject): void => void hash.update(`${canonicalize(of)}\n`);
  const pinned = new Map(pins.map(({ path, after }) => [path, after]));
  for (const change of changes) if (change.how !== 'touched') line(changeLine(change, pinned));
  for (const { path, risks, pattern } of plan.waiting)
    line({ asks: shown(path), risks: [...risks], pattern: pattern ?? null });
  for (const { path, why, system } of plan.conflicts)
    line({ left: shown(path), why, system: system ?? null });
  for (const { path, why } of plan.refusals) line({ refused: shown(path), why });
  for (const path of plan.gitsOwn) line({ kept: shown(path) });
  for (const path of plan.stripped) line({ stripped: shown(path) });
  if (plan.isPartial) line({ truncated: true });
  return hash.digest('hex');
}

/** A change that a commit leaves, and that overwriting takes over. */
export interface Overwritten {
  readonly path: BytePath;
  /** The project's own that is lost; undefined: it has nothing there. */
  readonly state: FileState | undefined;
  /** Why a person is asked besides; undefined: they are not. */
  readonly ask: Ask | undefined;
}

/**
 * Hashes the same, and the project's own of all that overwriting would take the place of: each by inode and
 * change time. Somebody who says yes to that has seen it as it is.
 */
export function overwriteDigest(digest: string, overwritten: readonly Overwritten[]): string {
  const hash = createHash('sha256');
  const line = (of: JsonObject): void => void hash.update(`${canonicalize(of)}\n`);
  line({ digest });
  for (const { path, state, ask } of overwritten)
    line({
      over: shown(path),
      project: state === undefined ? null : projectLine(state),
      risks: [...(ask?.risks ?? [])],
      pattern: ask?.pattern ?? null,
    });
  return hash.digest('hex');
}

function projectLine({ kind, mode, size, target, inode, changedAt }: FileState): JsonObject {
  const link = target === undefined ? {} : { target: shown(target) };
  return { kind, mode, size, ...link, inode: String(inode), changed_at: String(changedAt) };
}

function changeLine(
  { path, how, after, isStale }: Change,
  pinned: ReadonlyMap<BytePath, FileState | undefined>,
): JsonObject {
  const line = { path: shown(path), how, stale: isStale };
  if (after === undefined) return line;
  const { kind, mode, size, target } = after;
  const link = target === undefined ? {} : { target: shown(target) };
  return { ...line, kind, mode, size, ...link, ...bytesLine(after, pinned.get(path)?.sha256) };
}

/** To read a file that nobody may read changes its time: one whose hash is known is told by that alone. */
function bytesLine({ kind, inode, changedAt }: FileState, sha256: string | undefined): JsonObject {
  if (sha256 !== undefined) return { sha256 };
  // The time of a folder is that of the names in it.
  return kind === 'folder' ? {} : { inode: String(inode), changed_at: String(changedAt) };
}

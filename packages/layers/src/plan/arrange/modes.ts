import type { FileState } from '../../diff/change.js';

const PERMISSIONS = 0o777;
const STICKY = 0o1000;
const SET_ID = 0o6000;
const OWNER = 0o700;

/** A thing on all sides; undefined where there is none. */
export interface ModeSides {
  readonly before: FileState | undefined;
  readonly after: FileState;
  readonly now: FileState | undefined;
}

/**
 * The permissions that a thing of the project gets: those of the layer, or those that the project has if only
 * the project changed them. A file gets no set-id bits; a folder keeps those that it has.
 */
export function modeOf({ before, after, now }: ModeSides): number {
  const isOurs = before?.kind === after.kind && now?.kind === after.kind && before.mode === after.mode;
  const wanted = (isOurs ? now.mode : after.mode) & PERMISSIONS;
  if (after.kind !== 'folder') return wanted;
  return wanted | (after.mode & STICKY) | (now?.kind === 'folder' ? now.mode & SET_ID : 0);
}

/** Whether its owner can do everything in a folder of these permissions. */
export function isWhole(mode: number): boolean {
  return (mode & OWNER) === OWNER;
}

/** So that its owner can. */
export function withOwner(mode: number): number {
  return mode | OWNER;
}

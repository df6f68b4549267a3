import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { hasCode, readAsideMark, type HomePaths } from '@subluminal/ipc';
import type { FileHands } from './file-hands.js';

const PREFIX = 'subluminal-record-';
const TRIES = 1000;
/** Of a home that is a file system of its own, or stands in a folder that this user may not write. */
const NO_WAY_OUT = ['EXDEV', 'EBUSY', 'EACCES', 'EPERM', 'EROFS'];

/**
 * Where what is kept of a home goes: where a command that was cut off has begun, else beside the home, and
 * into it where nothing can be moved out of it. It is renamed and never copied.
 */
export function recordFolderName(home: HomePaths, nowMs: number, files: FileHands): string {
  const begun = readAsideMark(home);
  if (begun !== undefined) return begun;
  const place = canMoveOut(home, files) ? dirname(home.home) : home.home;
  return join(place, `${PREFIX}${new Date(nowMs).toISOString().slice(0, 10)}`);
}

/** The folder that would be made now: one that has begun, or the first whose name is free. */
export function nextRecordFolder(home: HomePaths, nowMs: number, files: FileHands): string {
  const wanted = recordFolderName(home, nowMs, files);
  if (wanted === readAsideMark(home)) return wanted;
  for (let count = 1; count < TRIES; count += 1)
    if (lstatSync(numbered(wanted, count), { throwIfNoEntry: false }) === undefined)
      return numbered(wanted, count);
  return wanted;
}

/** Makes the folder. One that is there already is left alone: the new one has a number behind its name. */
export function newRecordFolder(home: HomePaths, nowMs: number, files: FileHands): string {
  const wanted = recordFolderName(home, nowMs, files);
  for (let count = 1; ; count += 1) {
    const path = numbered(wanted, count);
    try {
      files.makeNewFolder(path);
      return path;
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || count === TRIES) throw error;
    }
  }
}

function numbered(wanted: string, count: number): string {
  return count === 1 ? wanted : `${wanted}-${count}`;
}

/** Tells whether a file or folder of a home is a record that stayed in it, by its name. */
export function isRecordFolder(name: string): boolean {
  return name.startsWith(PREFIX);
}

/**
 * Throws `failed` where a part of a home stands on another file system than the home: it could not be
 * renamed.
 */
export function assertMovable({ home }: HomePaths, paths: readonly string[]): void {
  const { dev } = lstatSync(home);
  const elsewhere = paths.find((path) => (lstatSync(path, { throwIfNoEntry: false })?.dev ?? dev) !== dev);
  if (elsewhere === undefined) return;
  throw new SublError('failed', `\`${elsewhere}\` stands on another file system than the home`, {
    help: 'nothing was changed; move what is in it into the home itself, and run the command again',
  });
}

/**
 * Tried and not looked up: two mounts may be of one file system, and nothing is renamed from one into the
 * other.
 */
function canMoveOut({ home }: HomePaths, files: FileHands): boolean {
  const name = `.${PREFIX}${process.pid}`;
  const [inside, beside] = [join(home, name), join(dirname(home), name)];
  files.makeFolder(inside);
  try {
    files.rename(inside, beside);
  } catch (error) {
    files.removeFolder(inside);
    if (!hasCode(error, ...NO_WAY_OUT)) throw error;
    return false;
  }
  files.removeFolder(beside);
  return true;
}

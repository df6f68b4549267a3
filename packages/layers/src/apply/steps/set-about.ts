import { type BigIntStats, chmodSync, closeSync, fstatSync, utimesSync } from 'node:fs';
import { split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { openPath, pathOf } from '../../files/by-descriptor.js';
import type { Doing, Numbered } from './doing.js';
import { groupBit } from './group-bit.js';

const NS_OF_S = 1e9;

/** Sets the mode or the time of a file or folder, by a descriptor: what was looked at is what is changed. */
export function setAbout(
  { outcome, planned }: Doing,
  step: Numbered<'set_mode' | 'set_time'>,
  folder: Folder,
): void {
  const fd = openPath(folder, split(step.path).name);
  try {
    const stats = fstatSync(fd, { bigint: true });
    const isIt = step.now === undefined ? isPlain(stats) : planned.isStill(step.now, stats);
    if (!isIt) outcome.leave(step.path, 'changed');
    else {
      if (step.does === 'set_mode') chmodSync(pathOf(fd), step.mode | groupBit(stats));
      else setTime(fd, step.modifiedAt);
      outcome.did(step.path);
    }
  } finally {
    closeSync(fd);
  }
}

function isPlain(stats: BigIntStats): boolean {
  return stats.isFile() || stats.isDirectory();
}

function setTime(fd: number, modifiedAt: bigint): void {
  const time = Number(modifiedAt) / NS_OF_S;
  utimesSync(pathOf(fd), time, time);
}

import type { BigIntStats } from 'node:fs';

const GROUP_BIT = 0o2000n;

/** The bit by which a folder gives its group to what is made in it; 0 for anything else. */
export function groupBit(stats: BigIntStats): number {
  return stats.isDirectory() ? Number(stats.mode & GROUP_BIT) : 0;
}

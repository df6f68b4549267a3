import { set, touch, type Effect } from './effect.js';
import type { Access } from './touch.js';

/** `cp`, `mv`, `ln`: from all but the last to the last, or into the folder of `-t`. */
export const copy = (from: Access, takes: string): Effect => {
  const withValue = set(takes);
  return (operands) => {
    const named = operands.plain(withValue);
    const isHere = (name: string): boolean => !/^[\w.@-]+:(?!\/\/)/.test(name);
    const isWhole = from === 'delete' || operands.hasShort('rRa') || operands.has('--recursive', '--archive');
    const folders = operands.values('-t', '--target-directory');
    if (folders.length > 0) return [...touch('write', folders), ...touch(from, named, isWhole)];
    if (named.length < 2) return touch(from, named.filter(isHere), isWhole);
    return [
      ...touch('write', named.slice(-1).filter(isHere)),
      ...touch(from, named.slice(0, -1).filter(isHere), isWhole),
    ];
  };
};

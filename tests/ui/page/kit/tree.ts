import { createHash } from 'node:crypto';

/** A tree of RFC 6962 in its recursive definition, with all proofs; slow, and nothing but the definition. */
export interface OpenTree {
  root(size: number): string;
  inclusion(index: number, size: number): readonly string[];
  consistency(from: number, to: number): readonly string[];
}

/** The tree over leaves, lowercase hex. */
export function openTree(leaves: readonly string[]): OpenTree {
  const root = (all: readonly string[]): string => {
    if (all.length === 0) return createHash('sha256').digest('hex');
    if (all.length === 1) return all[0] ?? '';
    const at = split(all.length);
    return node(root(all.slice(0, at)), root(all.slice(at)));
  };
  const path = (index: number, all: readonly string[]): readonly string[] => {
    if (all.length <= 1) return [];
    const at = split(all.length);
    return index < at
      ? [...path(index, all.slice(0, at)), root(all.slice(at))]
      : [...path(index - at, all.slice(at)), root(all.slice(0, at))];
  };
  const between = (from: number, all: readonly string[], isWhole: boolean): readonly string[] => {
    if (from === all.length) return isWhole ? [] : [root(all)];
    const at = split(all.length);
    return from <= at
      ? [...between(from, all.slice(0, at), isWhole), root(all.slice(at))]
      : [...between(from - at, all.slice(at), false), root(all.slice(0, at))];
  };
  return {
    root: (size) => root(leaves.slice(0, size)),
    inclusion: (index, size) => path(index, leaves.slice(0, size)),
    consistency: (from, to) => (from === 0 || from === to ? [] : between(from, leaves.slice(0, to), true)),
  };
}

function node(left: string, right: string): string {
  return createHash('sha256')
    .update(Buffer.from(`01${left}${right}`, 'hex'))
    .digest('hex');
}

function split(size: number): number {
  let at = 1;
  while (at * 2 < size) at *= 2;
  return at;
}

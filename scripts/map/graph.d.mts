import type { Imports } from './tree.mjs';

export function circles(imports: Imports): string[][];
export function floors(imports: Imports): ReadonlyMap<number, string[]>;

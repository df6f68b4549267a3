/** The parts of a bundle before it is checked; mappings have no prototype. */
export type Tree = null | boolean | number | string | readonly Tree[] | TreeMap;
export interface TreeMap {
  readonly [key: string]: Tree;
}

/** Tells whether a value is a mapping. */
export function isTreeMap(value: Tree | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a list. */
export function isTreeList(value: Tree | undefined): value is readonly Tree[] {
  return Array.isArray(value);
}

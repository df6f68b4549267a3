import type { Path } from '../problem/problem.js';
import { isTreeList, isTreeMap, type Tree, type TreeMap } from '../source/tree.js';

/** A value of a bundle that may have mistakes elsewhere, with the path to it. */
export interface Part<Value extends Tree = Tree> {
  readonly value: Value;
  readonly path: Path;
}

/** The mapping under `key`, where there is one. */
export function mapAt(part: Part | undefined, key: string): Part<TreeMap> | undefined {
  const child = partAt(part, key);
  return child !== undefined && isTreeMap(child.value) ? { value: child.value, path: child.path } : undefined;
}

/** The list under `key`, where there is one. */
export function listAt(part: Part | undefined, key: string): Part<readonly Tree[]> | undefined {
  const child = partAt(part, key);
  return child !== undefined && isTreeList(child.value)
    ? { value: child.value, path: child.path }
    : undefined;
}

/** The value under `key`, where there is one. */
export function partAt(part: Part | undefined, key: string): Part | undefined {
  if (part === undefined || !isTreeMap(part.value) || !Object.hasOwn(part.value, key)) return undefined;
  const value = part.value[key];
  return value === undefined ? undefined : { value, path: [...part.path, key] };
}

/** Every value of a mapping or list. */
export function children(part: Part | undefined): readonly Part[] {
  if (part === undefined) return [];
  const { value, path } = part;
  if (isTreeList(value)) return value.map((child, at) => ({ value: child, path: [...path, at] }));
  if (!isTreeMap(value)) return [];
  return Object.entries(value).map(([key, child]) => ({ value: child, path: [...path, key] }));
}

/** The rules of a bundle that are mappings. */
export function rulesOf(tree: Tree): readonly Part<TreeMap>[] {
  const list = listAt({ value: tree, path: [] }, 'rules');
  return children(list).flatMap(({ value, path }) => (isTreeMap(value) ? [{ value, path }] : []));
}

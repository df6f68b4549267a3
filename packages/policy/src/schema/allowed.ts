import { PolicyBundle, PolicyRule, PolicySelectors } from '@subluminal/core-types';
import type { Path } from '../problem/problem.js';
import { isTreeMap, type Tree } from '../source/tree.js';

/** As much of a zod schema as is needed to list the keys of an object. */
interface Described {
  readonly shape?: unknown;
  readonly element?: unknown;
  readonly options?: unknown;
  readonly unwrap?: unknown;
  /** Of one word. */
  readonly values?: unknown;
  readonly safeParse?: (value: undefined) => { readonly success: boolean };
  /** Of a mapping with free keys. */
  readonly valueType?: unknown;
}

/** The kinds of rule that the bundle schema knows. */
export function ruleKinds(): readonly string[] {
  return PolicyRule.options.flatMap((option) => [...option.shape.kind.values]);
}

/** The selectors that the bundle schema knows. */
export function selectorNames(): readonly string[] {
  return Object.keys(PolicySelectors.shape);
}

/**
 * The keys that a mapping at `path` may have; none where keys are free or the path leads out of the schema.
 */
export function allowedKeys(tree: Tree, path: Path): readonly string[] {
  return Object.keys(shapeAt(tree, path));
}

/** The keys that a mapping at `path` must have, with the words that each may be, where these are few. */
export function requiredKeys(
  tree: Tree,
  path: Path,
): readonly { readonly key: string; readonly words: readonly string[] }[] {
  return Object.entries(shapeAt(tree, path)).flatMap(([key, schema]: [string, unknown]) => {
    if (!isDescribed(schema) || schema.safeParse?.(undefined).success !== false) return [];
    const { options, values } = schema;
    const words = [options, values].flatMap((all) =>
      Array.isArray(all) || all instanceof Set ? Array.from<unknown>(all) : [],
    );
    return [{ key, words: words.filter((one) => typeof one === 'string') }];
  });
}

function shapeAt(tree: Tree, path: Path): object {
  let schema: unknown = PolicyBundle;
  let value: Tree | undefined = tree;
  for (const step of path) {
    schema = childOf(describe(schema, value), step);
    value = childValue(value, step);
  }
  const shape = describe(schema, value)?.shape;
  return typeof shape === 'object' && shape !== null ? shape : {};
}

function describe(schema: unknown, value: Tree | undefined): Described | undefined {
  let current: unknown = schema;
  while (isDescribed(current)) {
    if (Array.isArray(current.options)) return current.options.find((option) => fitsKind(option, value));
    if (typeof current.unwrap !== 'function' || current.element !== undefined) return current;
    current = current.unwrap();
  }
  return undefined;
}

function fitsKind(option: unknown, value: Tree | undefined): option is Described {
  const kind = isTreeMap(value) ? value['kind'] : undefined;
  return PolicyRule.options.some(
    (rule) => rule === option && [...rule.shape.kind.values].some((allowed) => allowed === kind),
  );
}

function childOf(schema: Described | undefined, step: string | number): unknown {
  if (typeof step === 'number') return schema?.element;
  const shape = schema?.shape;
  if (shape === undefined) return schema?.valueType;
  if (typeof shape !== 'object' || shape === null || !Object.hasOwn(shape, step)) return undefined;
  return Reflect.get(shape, step);
}

function childValue(value: Tree | undefined, step: string | number): Tree | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isTreeMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function isDescribed(value: unknown): value is Described {
  return typeof value === 'object' && value !== null;
}

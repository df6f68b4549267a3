import { touch } from './effect.js';
import type { Operands, Touch } from './touch.js';

/**
 * The effects of a program on files, as a policy names them: options whose value is one, `operands` for all,
 * `last` for the last of them.
 */
export interface NamedEffects {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  readonly network?: true;
}

/** A policy's table of programs. `id` tells it from every other one. */
export interface NamedPrograms {
  readonly id: string;
  readonly effects: ReadonlyMap<string, readonly NamedEffects[]>;
}

/** One table with all that some have. */
export function unitedPrograms(tables: readonly NamedPrograms[]): { readonly programs?: NamedPrograms } {
  const [first] = tables;
  const ids = [...new Set(tables.map(({ id }) => id))];
  if (first === undefined) return {};
  if (ids.length === 1) return { programs: first };
  const effects = new Map<string, readonly NamedEffects[]>();
  for (const table of tables)
    for (const [name, some] of table.effects) effects.set(name, [...(effects.get(name) ?? []), ...some]);
  return { programs: { id: ids.join(' '), effects } };
}

/** The files that a program touches by its named effects. */
export function namedTouches(
  { reads = [], writes = [], deletes = [] }: NamedEffects,
  operands: Operands,
): readonly Touch[] {
  const options = [...reads, ...writes, ...deletes].filter((one) => one.startsWith('-'));
  const plain = operands.plain(new Set(options));
  const named = (places: readonly string[]): readonly string[] =>
    places.flatMap((place): readonly string[] => {
      if (place === 'operands') return plain;
      return place === 'last' ? plain.slice(-1) : operands.values(place);
    });
  return [
    ...touch('read', named(reads)),
    ...touch('write', named(writes)),
    ...touch('delete', named(deletes), true),
  ];
}

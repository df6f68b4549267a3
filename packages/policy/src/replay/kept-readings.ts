import { isJsonObject, type JsonValue } from '@subluminal/core-types';
import { keptKeys, type KeptKeys, type NamedKeys, type Readings } from '@subluminal/readings/facts';

const LISTS = ['paths', 'commands', 'hosts', 'statements'] as const;

/**
 * The objects of a call as its decision has them (`facts.readings`); undefined where none are kept, or not
 * all: what they were is then not known, and never guessed.
 */
export function keptReadings(kept: JsonValue | undefined): Readings | undefined {
  if (kept === undefined || !isJsonObject(kept)) return undefined;
  const { place, unread } = kept;
  if (!LISTS.every((name) => Array.isArray(kept[name]))) return undefined;
  if (place === undefined || !isJsonObject(place) || unread === undefined || !isJsonObject(unread))
    return undefined;
  const { home, tmp, project } = place;
  if (typeof home !== 'string' || typeof tmp !== 'string') return undefined;
  // The rest is as the gateway wrote it: the entry is hashed.
  const rest = kept as unknown as Omit<Readings, 'place'>;
  return { ...rest, place: { home, tmp, project: typeof project === 'string' ? project : undefined } };
}

/** The same, where they were read under just these keys: a policy that names others reads other objects. */
export function readingsUnder(kept: JsonValue | undefined, keys: NamedKeys): Readings | undefined {
  const readings = keptReadings(kept);
  return sameKeys(readings?.keys ?? NONE, keptKeys(keys) ?? NONE) ? readings : undefined;
}

const NONE: KeptKeys = { paths: [], commands: [] };

function sameKeys(some: KeptKeys, others: KeptKeys): boolean {
  if (some.programs !== others.programs) return false;
  return (['paths', 'commands'] as const).every(
    (kind) => [...some[kind]].toSorted().join('\n') === [...others[kind]].toSorted().join('\n'),
  );
}

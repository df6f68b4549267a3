import type { PolicySnapshot } from '@subluminal/policy';
import type { Readings } from '@subluminal/readings';
import type { OwnReadings } from '../runs/judge.js';

/** Reads for some policies, by the keys that `named` name. */
type Read = (
  policies: readonly PolicySnapshot[],
  named: readonly PolicySnapshot[],
) => Readings | undefined | Promise<Readings | undefined>;

/**
 * Reads a call for the policy of the home, and again for each other policy that names keys or programs of its
 * own: these count for that policy alone. To the home's a further file could raise a class that it allows.
 */
export function readEach(
  home: PolicySnapshot,
  others: readonly PolicySnapshot[],
  read: Read,
): OwnReadings | Promise<OwnReadings> {
  const own = others.filter(namesKeys);
  const shared = read([home, ...others.filter((one) => !namesKeys(one))], [home]);
  if (own.length === 0)
    return shared instanceof Promise ? shared.then((found) => joined(found, [])) : joined(shared, []);
  const all = Promise.all(own.map(async (one) => [one, await read([one], [home, one])] as const));
  return Promise.all([shared, all]).then(([found, each]) => joined(found, each));
}

function joined(
  home: Readings | undefined,
  each: readonly (readonly [PolicySnapshot, Readings | undefined])[],
): OwnReadings {
  const own = new Map(each);
  return { home, of: (snapshot) => (namesKeys(snapshot) ? own.get(snapshot) : home) };
}

function namesKeys({ plain }: PolicySnapshot): boolean {
  return plain.tools !== undefined || plain.programs !== undefined;
}

import type { Match } from './condition.js';

/** How many of a call's objects have to fit: one for what refuses or counts, each for what allows. */
export type Quantity = 'some' | 'every';

/** The match over all objects of a kind; a call that names none fits nothing. */
export function overAll<One>(all: readonly One[], quantity: Quantity, fits: (one: One) => Match): Match {
  if (quantity === 'some') {
    let found: Match = 'no';
    for (const one of all) {
      const match = fits(one);
      if (match === 'yes') return 'yes';
      if (match === 'unknown') found = 'unknown';
    }
    return found;
  }
  let found: Match = all.length === 0 ? 'no' : 'yes';
  for (const one of all) {
    const match = fits(one);
    if (match === 'no') return 'no';
    if (match === 'unknown') found = 'unknown';
  }
  return found;
}

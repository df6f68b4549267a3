import * as z from 'zod';
import type { PlaneEvent } from '../event.js';
import { placeOf } from '../work/place.js';
import type { Seen, Signal } from './signal.js';

/** So many actions in a new module, and none in a known one between them, are a move. */
const PERSISTS = 3;

/** Modules that the present work is known to be in. */
const MAX_KNOWN = 4;

const MAX_NAME = 256;

const place = z.strictObject({ repository: z.string().max(MAX_NAME), module: z.string().max(MAX_NAME) });

export const scopeMemory = z.strictObject({
  known: z.array(place).max(MAX_KNOWN),
  next: z.union([place, z.null()]),
  actions: z.int().min(0).max(PERSISTS),
});

export type ScopeMemory = Readonly<z.infer<typeof scopeMemory>>;

type Spot = Readonly<z.infer<typeof place>>;

/** The work has moved to another module or repository. */
export const scope: Signal<ScopeMemory> = {
  needs: ['target', 'tool'],
  start: { known: [], next: null, actions: 0 },
  see,
};

function see(memory: ScopeMemory, event: PlaneEvent): Seen<ScopeMemory> {
  const found = event.kind === 'life' ? undefined : placeOf(event);
  if (found === undefined) return { memory };
  const here: Spot = {
    repository: found.repository.slice(0, MAX_NAME),
    module: found.module.slice(0, MAX_NAME),
  };
  // A file of the repository itself belongs to every module.
  const [home] = memory.known;
  if (here.module === '' && (home === undefined || home.repository === here.repository)) return { memory };
  if (home === undefined) return { memory: { ...memory, known: [here] } };
  if (memory.known.some((one) => isSame(one, here))) return { memory: { ...memory, next: null, actions: 0 } };
  const actions = memory.next !== null && isSame(memory.next, here) ? memory.actions + 1 : 1;
  if (actions < PERSISTS) return { memory: { ...memory, next: here, actions } };
  const hasLeft = home.repository !== here.repository;
  return {
    memory: { known: [here], next: null, actions: 0 },
    sign: { why: hasLeft ? 'repository' : 'module', isProtected: false },
  };
}

function isSame(one: Spot, other: Spot): boolean {
  return one.repository === other.repository && one.module === other.module;
}

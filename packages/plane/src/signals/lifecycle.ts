import * as z from 'zod';
import type { PlaneEvent } from '../event.js';
import { kindOf } from '../work/kind.js';
import type { Seen, Signal } from './signal.js';

/** An agent that looks around so often after a prompt was asked for something else. */
const LOOKS = 2;

export const lifecycleMemory = z.strictObject({
  /** The agent has done something since the session began. */
  hasActed: z.boolean(),
  isAsked: z.boolean(),
  looks: z.int().min(0).max(LOOKS),
});

export type LifecycleMemory = Readonly<z.infer<typeof lifecycleMemory>>;

/**
 * A person asked for something else, or the context was compacted. A prompt alone is none: half of them say
 * "proceed", and work goes on without a look around.
 */
export const lifecycle: Signal<LifecycleMemory> = {
  needs: ['life', 'tool'],
  start: { hasActed: false, isAsked: false, looks: 0 },
  see,
};

function see(memory: LifecycleMemory, event: PlaneEvent): Seen<LifecycleMemory> {
  if (event.kind === 'life') {
    if (event.what === 'compacted')
      return {
        memory: { ...memory, isAsked: false, looks: 0 },
        sign: { why: 'compaction', isProtected: false },
      };
    if (event.what !== 'prompted' || !memory.hasActed) return { memory };
    return { memory: { ...memory, isAsked: true, looks: 0 } };
  }
  if (!memory.isAsked) return { memory: { ...memory, hasActed: true } };
  const kind = kindOf(event);
  if (kind === 'change' || kind === 'check' || kind === 'deliver')
    return { memory: { ...memory, isAsked: false, looks: 0 } };
  if (kind !== 'explore') return { memory };
  if (memory.looks + 1 < LOOKS) return { memory: { ...memory, looks: memory.looks + 1 } };
  return {
    memory: { ...memory, isAsked: false, looks: 0 },
    sign: { why: 'task', isProtected: false },
  };
}

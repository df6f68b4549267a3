import * as z from 'zod';
import type { PlaneEvent } from '../event.js';
import type { Seen, Signal } from './signal.js';

/** A protected action after so many others is a first one again. */
const AGAIN = 20;

export const protectedMemory = z.strictObject({ since: z.int().min(0).max(AGAIN) });

export type ProtectedMemory = Readonly<z.infer<typeof protectedMemory>>;

/** The first action that a rule of the policy protects. */
export const protectedAction: Signal<ProtectedMemory> = {
  needs: ['protection'],
  start: { since: AGAIN },
  see,
};

function see(memory: ProtectedMemory, event: PlaneEvent): Seen<ProtectedMemory> {
  if (event.kind === 'life') return { memory };
  if (event.isProtected !== true) return { memory: { since: Math.min(AGAIN, memory.since + 1) } };
  const isFirst = memory.since >= AGAIN;
  return { memory: { since: 0 }, ...(isFirst ? { sign: { why: 'protected', isProtected: true } } : {}) };
}

import type { Panic } from './panic.js';

/** Tells whether everything is stopped, as answers say it. */
export function panicData({ current }: Pick<Panic, 'current'>): {
  readonly panicked: { readonly since: string; readonly reason: string } | null;
} {
  if (current === undefined) return { panicked: null };
  return { panicked: { since: new Date(current.sinceMs).toISOString(), reason: current.reason } };
}

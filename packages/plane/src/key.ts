import { sha256Hex } from '@subluminal/core-types';
import type { Identity } from './event.js';

/** The key under which the state of an identity is kept: 64 hexadecimal digits, equal for equal parts. */
export function keyOf({ agent, client, repository, session }: Identity): string {
  return sha256Hex(JSON.stringify([client, session, repository, agent]));
}

/**
 * Whether this state is left alone, so that its windows are what windows are without steering: one session in
 * `oneIn`, the same ones always. Subagents follow their session. `oneIn` is a positive integer.
 */
export function isHeldOut({ client, session }: Identity, oneIn: number): boolean {
  const digits = sha256Hex(JSON.stringify(['hold-out', client, session])).slice(0, 8);
  return Number.parseInt(digits, 16) % oneIn === 0;
}

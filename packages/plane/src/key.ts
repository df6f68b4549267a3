import { sha256Hex } from '@subluminal/core-types';
import type { Identity } from './event.js';

/** The key under which the state of an identity is kept: 64 hexadecimal digits, equal for equal parts. */
export function keyOf({ agent, client, repository, run, session }: Identity): string {
  return sha256Hex(JSON.stringify([client, session, repository, agent, ...(run === undefined ? [] : [run])]));
}

/**
 * Whether this state is left alone, so that its windows are what windows are without steering: one session in
 * `oneIn`, the same ones always. Subagents follow their session. `oneIn` is a positive integer. `salt` is of
 * the record: a name that is held out in one is not in another.
 */
export function isHeldOut({ client, session }: Identity, oneIn: number, salt: string): boolean {
  const digits = sha256Hex(JSON.stringify(['hold-out', salt, client, session])).slice(0, 8);
  return Number.parseInt(digits, 16) % oneIn === 0;
}

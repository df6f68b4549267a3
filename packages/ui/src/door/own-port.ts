import { createHash } from 'node:crypto';

/** Ports that no system hands out by itself. */
const FIRST = 20_000;
const COUNT = 10_000;

/**
 * The port that belongs to a ledger: the same after each restart, so that the browser keeps one origin for
 * it, and another one for each home.
 */
export function ownPort(ledgerId: string): number {
  return FIRST + (createHash('sha256').update(`ui ${ledgerId}`).digest().readUInt32BE(0) % COUNT);
}

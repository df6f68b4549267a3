import { createHash } from 'node:crypto';
import { LOOPBACK } from '@subluminal/gateway';

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

const LABEL_BYTES = 8;

/**
 * The name of the door: the same after each restart, and known to nobody who cannot read the home. A process
 * that listens on its port while the door is shut cannot have a browser keep a script, or a worker, for this
 * origin. Browsers find each name below `localhost` on this machine; Safari does not.
 */
export function ownHost(key: Uint8Array, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return LOOPBACK;
  return `${Buffer.from(key.subarray(0, LABEL_BYTES)).toString('hex')}.localhost`;
}

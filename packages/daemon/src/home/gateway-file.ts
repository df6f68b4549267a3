import { rmSync } from 'node:fs';
import type { Speaks } from '@subluminal/core-types';
import { ownIdentity } from '@subluminal/ipc';
import { writePrivateFile } from '@subluminal/gateway';

/**
 * Writes `run/gateway.json`: which process serves the home, and what it speaks. It is for those with whom no
 * handshake is possible any more, to say why. A gateway that was killed leaves it behind, hence the start
 * time of its process.
 */
export function writeGatewayFile(path: string, { version, protocol }: Speaks): void {
  const me = ownIdentity();
  writePrivateFile(path, `${JSON.stringify({ pid: me.pid, start: me.start, version, protocol })}\n`);
}

/** Removes it: nobody serves the home any more. */
export function removeGatewayFile(path: string): void {
  rmSync(path, { force: true });
}

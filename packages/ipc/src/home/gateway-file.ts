import { type ProcessIdentity, type Speaks } from '@subluminal/core-types';
import { isAlive } from '../process/identity.js';
import { readOwnText } from './own-file.js';

const MAX_BYTES = 4096;

/**
 * The content of `run/gateway.json`, which describes the gateway that serves the home. Unsigned: it explains,
 * and decides nothing.
 */
export interface GatewayFile extends Speaks, ProcessIdentity {}

/**
 * Reads `run/gateway.json`; undefined where there is none, where it is not one, and where the process that it
 * names is gone. Throws `home_unsafe` for a file that others could have written.
 */
export function readGatewayFile(path: string): GatewayFile | undefined {
  const text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o077 });
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its reader wants an explanation, and this is none.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  const [pid, start, version, protocol] = [field('pid'), field('start'), field('version'), field('protocol')];
  if (!Number.isSafeInteger(pid) || typeof pid !== 'number' || typeof start !== 'string') return undefined;
  if (typeof version !== 'string' || typeof protocol !== 'number') return undefined;
  return isAlive({ pid, start }) ? { pid, start, version, protocol } : undefined;
}

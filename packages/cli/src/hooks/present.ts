import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Where } from '../clients/client.js';
import type { HookClient } from './hook-client.js';

/** Whether the client has a folder on this machine. */
export function isPresent(client: HookClient, where: Where): boolean {
  return client.files(where).some(({ path }) => existsSync(path) || existsSync(dirname(path)));
}

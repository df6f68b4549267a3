import { statSync } from 'node:fs';
import { ENROL_TOKEN_PREFIX } from '@subluminal/core-types';
import { CLIENTS } from '../clients/all.js';
import type { Where } from '../clients/client.js';
import { HOOK_CLIENTS } from '../hooks/all.js';
import { found, type Check } from './check.js';

const OPEN = 0o077;

/** The files of clients that others can look into, with a token by which a client asks the gateway. */
export function tokenFileChecks(where: Where): readonly Check[] {
  if (where.platform === 'win32') return [];
  const paths = new Set([...CLIENTS, ...HOOK_CLIENTS].flatMap((client) => pathsOf(client, where)));
  return [...paths].flatMap((path) => {
    const mode = read(() =>
      where.readText(path)?.includes(ENROL_TOKEN_PREFIX) === true ? statSync(path).mode & 0o777 : undefined,
    );
    if (mode === undefined || (mode & OPEN) === 0) return [];
    const message = `\`${path}\` holds a token of the gateway, and others can look into it (${mode.toString(8)})`;
    return [found('permissions', 'warn', message, `run \`chmod 600 ${path}\``)];
  });
}

function pathsOf(
  client: { readonly files: (where: Where) => readonly { readonly path: string }[] },
  where: Where,
): readonly string[] {
  return read(() => client.files(where).map(({ path }) => path)) ?? [];
}

/** The check of each client tells of files and folders that cannot be read. */
function read<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

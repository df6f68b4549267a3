import { existsSync } from 'node:fs';
import { isSublError, listAt, textAt, type JsonValue, type SecretBinding } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { counted } from '../output/counted.js';
import { closedHosts } from '../secrets/closed-hosts.js';
import { readBindings } from '../secrets/bindings-file.js';
import { found, ok, type Check } from './check.js';

/**
 * Is everything there that servers are bound to? Undefined where nothing is bound, or no gateway says what
 * its store has.
 */
export async function checkSecrets(home: HomePaths, now: () => number): Promise<Check | undefined> {
  let bindings: readonly SecretBinding[];
  let stored: JsonValue;
  let closed: readonly string[];
  try {
    ({ bindings } = readBindings(home));
    if (bindings.length === 0) return undefined;
    stored = await askOperator(home, now, 'secrets.list');
    closed = await closedHosts(home, now, bindings);
  } catch (error) {
    // The checks of the configuration and of the gateway say what is wrong.
    if (isSublError(error)) return undefined;
    throw error;
  }
  const names = new Set(listAt(stored, 'secrets').map((secret) => textAt(secret, 'name')));
  const missing = bindings.filter((binding) => isMissing(binding, names));
  const [first] = missing;
  if (first === undefined && closed[0] !== undefined)
    return found(
      'secrets',
      'warn',
      `secrets are bound to ${closed.map((place) => `\`${place}\``).join(', ')}, and ${closed.length === 1 ? 'that is' : 'those are'} not on the allowlist`,
      `add it with \`sub allow add ${closed[0]}\`, or take the binding back with \`sub secrets unbind\``,
    );
  if (first === undefined) return ok('secrets', `${counted(bindings.length, 'secret')} bound to servers`);
  const { server_name: server, inject_as: variable, source, secret_ref: reference } = first;
  const more = missing.length === 1 ? '' : `, and ${missing.length - 1} more`;
  return found(
    'secrets',
    'warn',
    `\`${server}\` cannot be ${first.inject === 'header' ? 'reached' : 'started'}: there is no \`${reference}\` (${source}) for \`${variable}\`${more}`,
    source === 'file'
      ? 'put the file there'
      : 'add it with `sub secrets add`, or take it back with `sub secrets unbind`',
  );
}

/** Checks without reading a value: variables are those of a client, and a keychain may ask its user. */
function isMissing({ source, secret_ref: reference }: SecretBinding, stored: ReadonlySet<string>): boolean {
  if (source === 'store') return !stored.has(reference);
  return source === 'file' && !existsSync(reference);
}

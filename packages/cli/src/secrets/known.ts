import { isHeaderBinding, listAt, textAt, type JsonObject, type SecretBinding } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import type { Call } from '../program/call.js';
import { readBindings } from './bindings-file.js';

/** A secret as people ask for it: where it is, and which servers get it. */
export interface KnownSecret {
  readonly name: string;
  readonly source: SecretBinding['source'];
  /** The facts of the store. Undefined where it is none of the store's, or is not there. */
  readonly stored: JsonObject | undefined;
  readonly bindings: readonly SecretBinding[];
}

/** All secrets of the store, and all that bindings name, in the order of their names. */
export async function knownSecrets(call: Call): Promise<readonly KnownSecret[]> {
  const { bindings } = readBindings(call.home);
  const data = await askOperator(call.home, call.session.now, 'secrets.list');
  const stored = new Map(listAt(data, 'secrets').map((secret) => [textAt(secret, 'name'), secret]));
  const keys = new Set([
    ...[...stored.keys()].map((name) => `store ${name}`),
    ...bindings.map(({ source, secret_ref: name }) => `${source} ${name}`),
  ]);
  return [...keys]
    .map((key) => {
      const at = key.indexOf(' ');
      const source = SOURCES.find((one) => one === key.slice(0, at)) ?? 'store';
      const name = key.slice(at + 1);
      return {
        name,
        source,
        stored: source === 'store' ? stored.get(name) : undefined,
        bindings: bindings.filter((one) => one.source === source && one.secret_ref === name),
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const SOURCES = ['env', 'file', 'keychain', 'store'] as const;

/** For programs: never a value. */
export function secretData({ name, source, stored, bindings }: KnownSecret): JsonObject {
  return {
    name,
    source,
    ...(source === 'store' ? { stored: stored !== undefined } : {}),
    ...(stored === undefined
      ? {}
      : {
          created_at: stored['created_at'] ?? null,
          changed_at: stored['changed_at'] ?? null,
          used_at: stored['used_at'] ?? null,
          uses: stored['uses'] ?? 0,
        }),
    bindings: bindings.map(bindingData),
  };
}

function bindingData(binding: SecretBinding): JsonObject {
  const { server_name, inject_as, redact, inject } = binding;
  const facts = { server_name, inject_as, redact, inject };
  if (isHeaderBinding(binding)) {
    const { url, prefix } = binding;
    return { ...facts, url, ...(prefix === undefined ? {} : { prefix }) };
  }
  const { hosts, command } = binding;
  return { ...facts, ...(hosts === undefined ? {} : { hosts: [...hosts] }), command: [...command] };
}

import { SublError, type JsonObject } from '@subluminal/core-types';
import type { AllowEntry } from './allowlist-entry.js';
import type { Allowlist } from './allowlist.js';

/** The entry of that id. @throws SublError `not_found` */
export function namedEntry(allowlist: Allowlist, id: string): AllowEntry {
  const entry = allowlist.listServices().find((candidate) => candidate.id === id);
  if (entry === undefined) throw new SublError('not_found', `there is no allowlist entry \`${id}\``);
  return entry;
}

/** An entry as answers show it. */
export function entryData(entry: AllowEntry): JsonObject {
  return { ...entry };
}

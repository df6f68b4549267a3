import type { Allowlist } from './allowlist.js';
import { entryData, namedEntry } from './named-entry.js';
import { type ActionOf, operate } from '@subluminal/gateway';

/** `allow.remove` */
export function allowRemove(allowlist: Allowlist): ActionOf<'allow.remove'> {
  return operate(({ id }) => {
    const entry = namedEntry(allowlist, id);
    allowlist.removeService(entry.id);
    return { entry: entryData(entry) };
  });
}

import type { Allowlist } from './allowlist.js';
import { entryData, namedEntry } from './named-entry.js';
import { type ActionOf, operate } from '@subluminal/gateway';

/** `allow.deactivate` */
export function allowDeactivate(allowlist: Allowlist): ActionOf<'allow.deactivate'> {
  return operate(({ id }) => {
    const entry = namedEntry(allowlist, id);
    allowlist.deactivateService(entry.id);
    return { entry: { ...entryData(entry), is_active: false } };
  });
}

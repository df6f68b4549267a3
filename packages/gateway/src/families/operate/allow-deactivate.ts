import type { Allowlist } from '../../allowlist/allowlist.js';
import { entryData, namedEntry } from '../../allowlist/named-entry.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `allow.deactivate` */
export function allowDeactivate(allowlist: Allowlist): ActionOf<'allow.deactivate'> {
  return operate(({ id }) => {
    const entry = namedEntry(allowlist, id);
    allowlist.deactivateService(entry.id);
    return { entry: { ...entryData(entry), is_active: false } };
  });
}

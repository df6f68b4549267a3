import type { Allowlist } from '../../allowlist/allowlist.js';
import { entryData, namedEntry } from '../../allowlist/named-entry.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `allow.remove` */
export function allowRemove(allowlist: Allowlist): ActionOf<'allow.remove'> {
  return operate(({ id }) => {
    const entry = namedEntry(allowlist, id);
    allowlist.removeService(entry.id);
    return { entry: entryData(entry) };
  });
}

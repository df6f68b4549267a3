import type { Allowlist } from './allowlist.js';
import { entryData } from './named-entry.js';
import { type ActionOf, type Detector, operate } from '@subluminal/gateway';

/** `allow.add` */
export function allowAdd(allowlist: Allowlist, detector: Pick<Detector, 'forget'>): ActionOf<'allow.add'> {
  return operate(({ host, ...rest }) => {
    const entry = allowlist.addService({ domain: host, ...rest, added_by: 'user' });
    // The detector's knowledge of the host belongs to an earlier permission.
    detector.forget(entry.domain);
    return { entry: entryData(entry) };
  });
}

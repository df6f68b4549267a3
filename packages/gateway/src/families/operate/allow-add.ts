import type { Allowlist } from '../../allowlist/allowlist.js';
import { entryData } from '../../allowlist/named-entry.js';
import type { Detector } from '../../anomaly/port.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `allow.add` */
export function allowAdd(allowlist: Allowlist, detector: Pick<Detector, 'forget'>): ActionOf<'allow.add'> {
  return operate(({ host, ...rest }) => {
    const entry = allowlist.addService({ domain: host, ...rest, added_by: 'user' });
    // The detector's knowledge of the host belongs to an earlier permission.
    detector.forget(entry.domain);
    return { entry: entryData(entry) };
  });
}

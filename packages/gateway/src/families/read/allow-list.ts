import type { Allowlist } from '../../allowlist/allowlist.js';
import { entryData } from '../../allowlist/named-entry.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { read } from './read.js';

/** `allow.list` */
export function allowList(allowlist: Allowlist): ActionOf<'allow.list'> {
  return read(() => ({ entries: allowlist.listServices().map(entryData) }));
}

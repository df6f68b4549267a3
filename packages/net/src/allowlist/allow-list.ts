import type { Allowlist } from './allowlist.js';
import { entryData } from './named-entry.js';
import { type ActionOf, read } from '@subluminal/gateway';

/** `allow.list` */
export function allowList(allowlist: Allowlist): ActionOf<'allow.list'> {
  return read(() => ({ entries: allowlist.listServices().map(entryData) }));
}

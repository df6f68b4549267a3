import type { JsonObject, JsonValue } from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import type { Allowed } from '@subluminal/gateway';
import { type AnyAccount, settingsData } from './account.js';
import { reachData } from './change.js';
import { destinationsOf } from './destinations.js';

/** The places that an account leads to. */
export function wantedBy(account: AnyAccount): readonly Destination[] {
  return destinationsOf(account.kind, account.settings);
}

/** An account in answers. */
export function accountData({
  name,
  kind,
  settings,
  createdMs,
  changedMs,
  usedMs,
  uses,
}: AnyAccount): JsonObject {
  return {
    name,
    kind,
    settings: settingsData(settings),
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    used_at: usedMs === null ? null : new Date(usedMs).toISOString(),
    uses,
  };
}

/** Places, and whether the allowlist has them: no action on accounts changes that. */
export function reachesData(allowlist: Pick<Allowed, 'find'>, wanted: readonly Destination[]): JsonValue {
  return wanted.map((destination) => reachData(destination, allowlist.find(destination) !== undefined));
}

import { SublError, type AccountKind, type JsonObject } from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import type { Recorder } from '@subluminal/gateway';

export interface AccountChange {
  readonly change: 'added' | 'replaced' | 'removed';
  readonly name: string;
  readonly kind: AccountKind;
  /** The places that it leads to. */
  readonly wanted: readonly Destination[];
}

/**
 * Records `account_changed` before the change: name, kind and places, and nothing of the secret. `req` is the
 * request that asks for it.
 *
 * @throws SublError `audit_unavailable`, and what the recorder throws.
 */
export async function recordChange(
  recorder: Pick<Recorder, 'append'>,
  ts: number,
  req: JsonObject,
  { change, name, kind, wanted }: AccountChange,
): Promise<void> {
  const account = { change, name, kind, origins: wanted.map(({ origin }) => origin) };
  const result = await recorder.append({
    entries: [{ type: 'account_changed', ts, runId: null, data: { req, account } }],
  });
  if (!result.ok) throw new SublError('audit_unavailable', 'this could not be recorded, so it has no effect');
}

/** One place that an account needs, and whether the allowlist has it. */
export function reachData({ host, port, origin }: Destination, allowed: boolean): JsonObject {
  return { host, port, origin, allowed };
}

import type { ToolCallEndPayload } from '@subluminal/core-types';

/** JSON-RPC's own errors of a request that will be no other one the next time. */
const SAME_AGAIN: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602]);
/** HTTP's answers of a server that has not looked at the request. */
const LATER: ReadonlySet<unknown> = new Set([429, 503]);

/**
 * Tells whether the same call may simply be made once more (`error.retryable`): it was not carried out, and
 * may be later. False where it would fail in the same way, or may have had its effect although nobody was
 * told. Undefined where nothing is known of that.
 */
export function retryableOf({
  class: kind,
  code,
}: Pick<NonNullable<ToolCallEndPayload['error']>, 'class' | 'code'>): boolean | undefined {
  if (kind === 'timeout' || kind === 'transport' || kind === 'unknown') return false;
  if (kind !== 'upstream_error') return undefined;
  if (LATER.has(code)) return true;
  return SAME_AGAIN.has(code) ? false : undefined;
}

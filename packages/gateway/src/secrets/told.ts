import { createHmac } from 'node:crypto';
import { canonicalize } from '@subluminal/core-types';
import type { PlaceholderOf } from './placeholder.js';

/**
 * A mark of a value that a server has. It does not tell the value, but is enough to know it again, for that
 * variable of that server alone.
 */
export function toldMark(key: Uint8Array, { runId, token, injectAs }: PlaceholderOf, value: string): string {
  const text = canonicalize(['subl/v1/told', runId, token, injectAs, value]);
  return createHmac('sha256', key).update(text).digest('hex');
}

import type { JsonObject } from '@subluminal/core-types';
import { unusualCounts } from '@subluminal/records';
import { escapeText } from '../output/escape.js';

/**
 * The flags of a run, as its end tells them: `3 unusual: new_domain (2), new_for_agent`. Undefined for none.
 */
export function unusualText(end: JsonObject): string | undefined {
  const counts = unusualCounts(end);
  if (counts.length === 0) return undefined;
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const kinds = counts.map(([kind, count]) => `${escapeText(kind)}${count > 1 ? ` (${count})` : ''}`);
  return `${total} unusual: ${kinds.join(', ')}`;
}

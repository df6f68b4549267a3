import { type JsonObject, type LayerDiscardPayload, textAt } from '@subluminal/core-types';
import type { DecisionReader } from './end.js';

/**
 * The page's session that asked for a decision, as the entry of that says it: `ui.layer` of the same layer,
 * which has no result yet. Nothing where no page asked; undefined where the entry that is named is none of
 * these. The word of `sub` alone does not do: it is the gateway that has written that entry.
 */
export function askerOf(
  openReader: () => DecisionReader,
  does: 'commit' | 'discard',
  { asked, layer_id: layer }: Pick<LayerDiscardPayload, 'asked' | 'layer_id'>,
): JsonObject | undefined {
  if (asked === undefined) return {};
  const reader = openReader();
  try {
    const row = reader.holds(asked) ? reader.entry(asked) : undefined;
    if (row?.type !== 'action_pending' || row.tool !== 'ui.layer') return undefined;
    const isIt = textAt(row.data, 'decision', 'layer_id') === layer;
    if (!isIt || textAt(row.data, 'decision', 'does') !== does) return undefined;
    return reader.referring(asked) === undefined
      ? { asked, asked_by: textAt(row.data, 'source') }
      : undefined;
  } finally {
    reader.close();
  }
}

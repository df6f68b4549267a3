import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseJson, SublError } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import type { LayerPlace } from './place.js';

/** As many as a world's policies can name. */
const MOST_ASKS = 1024;

/**
 * Keeps the patterns of paths that the policies of a layer's world ask about, besides those of its worlds
 * before: a policy that came with a run is gone when somebody decides on what the run has written. Throws
 * `usage` for more than 1,024.
 */
export function rememberAsks(place: LayerPlace, patterns: readonly string[]): void {
  const known = layerAsks(place);
  const all = [...new Set([...known, ...patterns])];
  if (all.length === known.length) return;
  if (all.length > MOST_ASKS)
    throw new SublError(
      'usage',
      `the layer \`${place.id}\` is asked about by more than ${MOST_ASKS} patterns`,
      {
        help: 'commit or discard it first',
      },
    );
  const fresh = `${place.asks}.new`;
  writeFileSync(fresh, JSON.stringify(all), { mode: 0o600 });
  renameSync(fresh, place.asks);
}

/** Those patterns; none if nothing is kept. Throws `failed` for a file that cannot be read. */
export function layerAsks({ id, asks }: LayerPlace): readonly string[] {
  let text: string;
  try {
    text = readFileSync(asks, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
  const said = parseJson(text);
  if (Array.isArray(said) && said.every((one) => typeof one === 'string')) return said;
  throw new SublError('failed', `the layer \`${id}\` does not say what is asked about`);
}

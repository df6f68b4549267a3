import { isSublError, Sha256Hex } from '@subluminal/core-types';
import type { Worlds } from '../protocol/worlds.js';
import type { UiSession } from '../session/sessions.js';
import type { LayerVerbs } from '../worlds/worlds.js';
import { UiRefusal } from '../door/refusal.js';
import { textIn } from './query.js';
import type { Reader } from '../reader/reader.js';

/** The name of a layer: no path, and no flag. */
export const LAYER_ID = /^[0-9a-f]{8,64}$/;
/** A name may have 10,000 bytes, each of which is written by four signs. */
const MOST_PATH = 65_536;

/** A page's question about layers. */
export interface LayerAsking {
  readonly session: Pick<UiSession, 'id'>;
  readonly layers: LayerVerbs;
  readonly reader: Pick<Reader, 'ask'>;
  readonly query: URLSearchParams;
  readonly rest: readonly string[];
}

/** The layers that hold changes, and whether any run was in a world, as JSON text. */
export async function layersText({ layers, reader, session }: LayerAsking): Promise<string> {
  const { layers: all, more } = await layers.list(askerOf(session));
  const ever: unknown = JSON.parse(await reader.ask({ ask: 'worlds' }));
  return JSON.stringify({ ever: ever === true, layers: all, more } satisfies Worlds);
}

/**
 * One layer, or the lines of one file of it as it was shown, as JSON text.
 *
 * @throws UiRefusal `no_route`, `bad_request`, `changed`
 */
export async function layerText({ layers, query, rest, session }: LayerAsking): Promise<string> {
  const [id = ''] = rest;
  if (!LAYER_ID.test(id) || rest.length > 1)
    throw new UiRefusal(404, 'no_route', 'a layer is named by its id');
  const asker = askerOf(session);
  if (!query.has('path')) return JSON.stringify(await layers.look(asker, id));
  const [path, shown] = [textIn(query, 'path', MOST_PATH), query.get('shown') ?? ''];
  if (!Sha256Hex.safeParse(shown).success)
    throw new UiRefusal(400, 'bad_request', '`shown` is the digest of a look');
  try {
    return JSON.stringify(await layers.patch(asker, id, path, shown));
  } catch (error) {
    if (isSublError(error) && error.code === 'layer_changed')
      throw new UiRefusal(409, 'changed', error.message, error.help);
    throw error;
  }
}

/** As the record names the session. */
function askerOf({ id }: Pick<UiSession, 'id'>): string {
  return `ui:${id}`;
}

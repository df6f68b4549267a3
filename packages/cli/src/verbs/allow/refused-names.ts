import { textAt, type JsonObject } from '@subluminal/core-types';
import type { SeenPlace } from '@subluminal/records';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';

/** More names than these are counted. */
const MAX_SHOWN = 5;

/**
 * The names that worlds were refused, of which no port is known; undefined where an entry leads to each by
 * now, or a place of it is shown.
 */
export function refusedNamesText(
  refused: ReadonlySet<string>,
  listed: readonly JsonObject[],
  places: readonly Pick<SeenPlace, 'host'>[],
): string | undefined {
  const known = new Set(places.map(({ host }) => host));
  for (const entry of listed) if (textAt(entry, 'is_active') === 'true') known.add(textAt(entry, 'domain'));
  const names = [...refused].filter((name) => !known.has(name));
  if (names.length === 0) return undefined;
  const more = names.length - MAX_SHOWN;
  const shown = names.slice(0, MAX_SHOWN).map((name) => escapeText(name));
  const all = [...shown, ...(more > 0 ? [counted(more, 'other')] : [])].join(', ');
  return `names that were refused in worlds: ${all}; \`sub allow add NAME:443\` adds one, without a port for every one`;
}

import { SublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { type LayerAbout, type LayerSize, notedSize, sizeOf } from '@subluminal/layers';
import { readDisk } from '../../home/settings.js';
import { ago, byteCount } from '../../output/time.js';
import { waitingLayers } from './waiting.js';

/** Names that are looked at before a world is made: a few hundred milliseconds at most. */
const MOST_NAMES = 50_000;
const NS_OF_DAY = 86_400_000_000_000n;
const NS_OF_MS = 1_000_000n;

/** All layers that hold changes, by their room and their age. */
export interface LayersHeld {
  readonly size: LayerSize;
  /** `disk.layers_mb` in bytes; undefined: there is none. */
  readonly budget: number | undefined;
  /** Those older than `disk.layers_days`. */
  readonly old: readonly LayerAbout[];
  readonly days: number;
}

/** Looks at the layers of a home. Throws `config_invalid`. */
export function layersHeld(home: HomePaths, now: number): LayersHeld {
  const { layersBytes, layersDays } = readDisk(home);
  const layers = waitingLayers(home);
  return {
    size: sizeOf(
      layers.map(({ place }) => place),
      MOST_NAMES,
    ),
    budget: layersBytes,
    old: layers.filter((about) => isOld(about, layersDays, now)),
    days: layersDays,
  };
}

/** Names that `sub status` looks at: ten milliseconds. */
const FEW_NAMES = 2000;

/** The room that layers take, in words, and when that was counted, if it was not now. */
export function roomText(layers: readonly LayerAbout[], budget: number | undefined, now: number): string {
  const places = layers.map(({ place }) => place);
  const counted = sizeOf(places, FEW_NAMES);
  const noted = counted.isAtLeast ? places.map((place) => notedSize(place)) : [];
  const known = noted.flatMap((one) => (one === undefined ? [] : [one]));
  const bytes = Math.max(
    counted.bytes,
    known.reduce((sum, one) => sum + one.bytes, 0),
  );
  const isAtLeast = counted.isAtLeast && (known.length < noted.length || known.some((one) => one.isAtLeast));
  const oldest = Math.min(...known.map(({ at }) => at));
  const when = known.length === 0 ? '' : `, counted ${ago(oldest, now)}`;
  const of = budget === undefined ? '' : ` of ${byteCount(budget)}`;
  return `${sizeText({ bytes, isAtLeast })}${of}${when}`;
}

/** Whether a layer began more days ago than that. `now` in milliseconds since 1970. */
export function isOld({ beganAt }: LayerAbout, days: number, now: number): boolean {
  return BigInt(now) * NS_OF_MS - beganAt > BigInt(days) * NS_OF_DAY;
}

/** Throws `overloaded` if the layers take more than `disk.layers_mb`: nobody's changes are removed for it. */
export function assertRoom(home: HomePaths, now: number): void {
  const { size, budget } = layersHeld(home, now);
  if (budget === undefined || size.bytes <= budget) return;
  throw new SublError(
    'overloaded',
    `layers take ${sizeText(size)} of ${byteCount(budget)}: no new one begins`,
    {
      help: '`sub world status` lists them: commit or discard some, or raise `[disk] layers_mb` by `sub config set`',
    },
  );
}

/** The room in words. */
export function sizeText({ bytes, isAtLeast }: LayerSize): string {
  return `${isAtLeast ? 'at least ' : ''}${byteCount(bytes)}`;
}

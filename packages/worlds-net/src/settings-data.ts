import type { JsonObject } from '@subluminal/core-types';
import type { WorldSettings } from '@subluminal/policy';

/** The settings of a world that its starter applies, as the answer to `world.open` says them. */
export function settingsData({ profile, limits, reuse, fs, isolated }: WorldSettings): JsonObject {
  const { memoryBytes, cpus, processes, wallMs, diskBytes } = limits;
  return {
    ...(profile === undefined ? {} : { profile }),
    limits: {
      ...(memoryBytes === undefined ? {} : { memory_bytes: memoryBytes }),
      ...(cpus === undefined ? {} : { cpus }),
      ...(processes === undefined ? {} : { processes }),
      ...(wallMs === undefined ? {} : { wall_ms: wallMs }),
      ...(diskBytes === undefined ? {} : { disk_bytes: diskBytes }),
    },
    reuse,
    fs: { ask: [...fs.ask], hide: [...fs.hide], read: [...fs.read], write: [...fs.write] },
    isolated: [...isolated],
  };
}

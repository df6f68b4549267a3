import type { HomePaths } from '@subluminal/ipc';
import { type Network, networkOf } from '@subluminal/worlds';
import { readTable } from '../home/settings.js';
import { attempt } from '../program/attempt.js';

/** The least that a world may be, as `config.toml` says; `full` if it cannot be read. */
export function leastNetwork(home: HomePaths): Network {
  const world = attempt(() => readTable(home.config))?.['world'];
  const least = typeof world === 'object' && world !== null && 'require' in world ? world.require : undefined;
  return networkOf(String(least)) ?? 'full';
}

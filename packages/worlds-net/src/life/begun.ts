import { type JsonObject, redact } from '@subluminal/core-types';
import type { World } from '../world.js';

/** The facts that `world_begin` has of a world, whichever gateway it is of. Names may hold credentials. */
export function begunData({ doors, owner, profile }: World): JsonObject {
  const { id, serverName, shimId, folder, hasDoor, sandboxOff } = owner;
  return {
    world_id: id,
    ...(serverName === undefined ? {} : { server_name: redact(serverName).text }),
    ...(shimId === undefined ? {} : { shim_id: redact(shimId).text }),
    folder: redact(folder).text,
    ...(hasDoor ? { has_door: true } : {}),
    ...(sandboxOff === undefined ? {} : { sandbox_off: sandboxOff }),
    network: doors.network,
    ...(profile === undefined ? {} : { profile }),
  };
}

/** The world that was opened before its entry. */
export function opened(world: World | undefined): World {
  if (world === undefined) throw new Error('a world began without a network');
  return world;
}

import { SublError } from '@subluminal/core-types';

/** An open world, as the policies let it reach the network. They narrow the allowlist, and never widen it. */
export interface WorldTerms {
  /** The profile of the policy; undefined where none fits. */
  readonly profile: string | undefined;
  /** Why nobody there may reach that host now, a canonical name or address; undefined where somebody may. */
  refusal(host: string): SublError | undefined;
}

/** The worlds that are open. The wing of worlds is behind it. */
export interface OpenWorlds {
  /** Undefined where no such world of that run is open. */
  termsOf(worldId: string, runId: string): WorldTerms | undefined;
}

/** The refusal of a request from a world that is not open. */
export function worldGone(): SublError {
  return new SublError('not_found', 'the world that it comes from is not open');
}

/** The world that a request is from. */
export interface FromWorld {
  readonly via: string;
  readonly world_id?: string | undefined;
}

/**
 * The terms of the world that a request is from; undefined where it is from none, and `gone` where that world
 * is not open, or not said: nothing is decided by the terms of no world.
 */
export function termsOfWorld(
  worlds: OpenWorlds,
  runId: string | undefined,
  { via, world_id: worldId }: FromWorld,
): WorldTerms | 'gone' | undefined {
  if (via !== 'world') return worldId === undefined ? undefined : 'gone';
  if (worldId === undefined || runId === undefined) return 'gone';
  return worlds.termsOf(worldId, runId) ?? 'gone';
}

import { type GatewayConfig, isSublError } from '@subluminal/core-types';
import { destinationFor } from '@subluminal/egress';
import {
  type ActionOf,
  type Passed,
  REACHES_NOTHING,
  type ReadSteps,
  type Refusal,
  refuse,
  refuseFor,
  success,
} from '@subluminal/gateway';
import type { Allowlist } from './allowlist/allowlist.js';
import { askedFacts, factsData } from './connection/facts.js';
import { type OpenWorlds, termsOfWorld, worldGone } from './world-terms.js';

export interface NameParts {
  readonly allowlist: Pick<Allowlist, 'isNamed'>;
  readonly worlds: OpenWorlds;
  readonly egress: () => Pick<GatewayConfig['egress'], 'mode'>;
}

/**
 * `net.name`: a program in a world asks for a name. A name is data that leaves: one that no entry of the
 * allowlist has is refused and recorded, and is asked of nobody. One that passes tells nothing yet, since the
 * connection to it is decided on by itself, so it leaves no entry.
 */
export function netName({ allowlist, worlds, egress }: NameParts): ActionOf<'net.name'> {
  return (call, { host, server_name: serverName, world_id: worldId }): ReadSteps => {
    let profile: string | undefined;
    return {
      ...REACHES_NOTHING,
      whenStopped: 'refused',
      whenFull: 'refused',
      result: 'none',
      decide(): Passed | Refusal {
        const { mode } = egress();
        if (mode === 'off')
          return refuse('not_available', 'this gateway has no proxy: `[egress] mode` is `off`');
        try {
          const { host: name } = destinationFor('tcp', host, 1);
          const terms = termsOfWorld(worlds, call.runId ?? undefined, { via: 'world', world_id: worldId });
          const isOpen = terms !== 'gone' && terms !== undefined;
          profile = isOpen ? terms.profile : undefined;
          const refusal = isOpen ? terms.refusal(name) : worldGone();
          if (refusal !== undefined) return refuseFor(refusal);
          if (mode === 'observe' || allowlist.isNamed(name)) return 'pass';
          return refuse('not_allowed', `\`${name}\` is not on the allowlist`);
        } catch (error) {
          if (isSublError(error)) return refuseFor(error);
          throw error;
        }
      },
      record: 'nothing',
      execute: () => success({}),
      // The port of names: what the program will connect to is not known yet.
      about: () => ({
        facts: factsData({
          ...askedFacts({ via: 'world', host, port: 53, server_name: serverName, world_id: worldId }),
          ...(profile === undefined ? {} : { profile }),
        }),
      }),
    };
  };
}

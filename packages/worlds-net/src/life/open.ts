import { newId, redact, SublError } from '@subluminal/core-types';
import { type ActionOf, BEGINS, life, refuse, type Refusal, refuseFor, success } from '@subluminal/gateway';
import { type Network, NETWORKS } from '../doors.js';
import type { World } from '../world.js';
import type { Worlds } from '../worlds.js';
import { settingsData } from '../settings-data.js';
import { begunData, opened } from './begun.js';

/** The parts with which a world is opened. */
export interface OpeningParts {
  readonly worlds: Worlds;
  /** Why there is no world here; undefined where there is one. */
  readonly problem: () => string | undefined;
  /** The least that a world may be. */
  readonly weakest: () => Network;
}

/**
 * `world.open`: the network is there before its entry, and serves nobody before the entry is durable: only
 * the answer tells where it is.
 */
export function worldOpen({ worlds, problem, weakest }: OpeningParts): ActionOf<'world.open'> {
  return life(BEGINS, (call, payload) => {
    const id = newId();
    const { server_name: serverName, shim_id: shimId, folder, has_door, sandbox_off } = payload;
    const { network: most = 'full', shortfall, starter } = payload;
    let world: World | undefined;
    // Why it is no better, as far as that is known.
    let why = shortfall === undefined ? undefined : redact(shortfall).text;
    let isTold = false;
    return {
      decide: async () => {
        const absent = problem();
        if (absent !== undefined) return refuse('not_available', absent);
        const ladder = NETWORKS.slice(NETWORKS.indexOf(most), NETWORKS.indexOf(weakest()) + 1);
        if (ladder.length === 0) return tooWeak(most, weakest(), why);
        for (const network of ladder) {
          try {
            const owner = {
              id,
              runId: call.run.id,
              serverName,
              shimId,
              starter,
              folder,
              hasDoor: has_door === true,
              sandboxOff: sandbox_off,
            };
            world = await worlds.open(owner, network);
            break;
          } catch (error) {
            if (!(error instanceof SublError)) throw error;
            if (error.code !== 'not_available' || network === ladder.at(-1)) return refuseFor(error);
            why = error.message;
          }
        }
        call.atEnd(() => {
          if (!isTold) worlds.abandon(id);
        });
        if (world !== undefined && isUnheld(world)) return refuse('not_available', UNHELD);
        return 'pass';
      },
      record: () => [
        {
          type: 'world_begin',
          ts: call.now,
          runId: call.run.id,
          data: {
            req: call.requestFields,
            ...begunData(opened(world)),
            ...(why === undefined ? {} : { shortfall: why }),
          },
        },
      ],
      execute: () => {
        isTold = true;
        worlds.serve(id);
        const { door, doors, settings } = opened(world);
        const { network, place } = doors;
        const data = {
          world_id: id,
          network,
          require: weakest(),
          settings: settingsData(settings),
          ...place,
          ...(door === undefined ? {} : { door_folder: door.folder }),
        };
        return success(data);
      },
    };
  });
}

const UNHELD = 'the policy narrows the hosts or the bytes of this world, and its network would be `any`';

/** The connections of a world that is only told of the proxy are those of its run. */
function isUnheld({ doors, settings: { budget, hosts } }: World): boolean {
  const isBounded = budget.bytesPerSecond !== undefined || budget.totalBytes !== undefined;
  return doors.network === 'any' && (hosts.length > 0 || isBounded);
}

/** Nothing weaker is taken than the operator has said. */
function tooWeak(most: Network, least: Network, why: string | undefined): Refusal {
  const because = why === undefined ? '' : `: ${why}`;
  return refuse(
    'not_available',
    `a world needs the network \`${least}\`, and can have \`${most}\` at most here${because}`,
    {
      help: `\`sub world doctor\` says what is missing; \`sub config set world.require ${most}\` takes less`,
    },
  );
}

import {
  type JsonObject,
  newId,
  type PayloadOf,
  redact,
  redactFsDiff,
  SublError,
} from '@subluminal/core-types';
import {
  type ActionOf,
  type ActionTable,
  BEGINS,
  ENDS,
  life,
  refuse,
  type Refusal,
  refuseFor,
  success,
} from '@subluminal/gateway';
import { type Network, NETWORKS } from './doors.js';
import { settingsData } from './settings-data.js';
import type { World } from './world.js';
import type { Worlds } from './worlds.js';

/** The actions of this wing. */
export type WorldActions = Pick<ActionTable, 'world.open' | 'world.close'>;

export interface WorldActionsParts {
  readonly worlds: Worlds;
  /** Why there is no world here; undefined where there is one. */
  readonly problem: () => string | undefined;
  /** The least that a world may be. */
  readonly weakest: () => Network;
}

export function worldActions(parts: WorldActionsParts): WorldActions {
  return { 'world.open': worldOpen(parts), 'world.close': worldClose(parts.worlds) };
}

/**
 * `world.open`: the network is there before its entry, and serves nobody before the entry is durable: only
 * the answer tells where it is.
 */
function worldOpen({ worlds, problem, weakest }: WorldActionsParts): ActionOf<'world.open'> {
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
              starter,
              folder,
              hasDoor: has_door === true,
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
          if (!isTold) worlds.close(id);
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
            world_id: id,
            ...(serverName === undefined ? {} : { server_name: redact(serverName).text }),
            ...(shimId === undefined ? {} : { shim_id: redact(shimId).text }),
            folder: redact(folder).text,
            ...(has_door === undefined ? {} : { has_door }),
            ...(sandbox_off === undefined ? {} : { sandbox_off }),
            network: opened(world).doors.network,
            ...(why === undefined ? {} : { shortfall: why }),
            ...(world?.profile === undefined ? {} : { profile: world.profile }),
          },
        },
      ],
      execute: () => {
        isTold = true;
        const { door, doors, settings } = opened(world);
        const { network, place } = doors;
        const data = {
          world_id: id,
          network,
          require: weakest(),
          settings: settingsData(settings),
          ...place,
          ...(door === undefined ? {} : { socket: door.socket }),
        };
        return success(data);
      },
    };
  });
}

/** Names of files may hold what looks like a credential. */
function shown({ path, by, count }: StartedProgram): JsonObject {
  return { path: redact(path).text, by: redact(by).text, count };
}

type StartedProgram = NonNullable<PayloadOf<'world.close'>['programs']>[number];

const UNHELD = 'the policy narrows the hosts or the bytes of this world, and its network would be `any`';

/** The connections of a world that is only told of the proxy are those of its run. */
function isUnheld({ doors, settings: { budget, hosts } }: World): boolean {
  const isBounded = budget.bytesPerSecond !== undefined || budget.totalBytes !== undefined;
  return doors.network === 'any' && (hosts.length > 0 || isBounded);
}

function opened(world: World | undefined): World {
  if (world === undefined) throw new Error('a world began without a network');
  return world;
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

/** `world.close`: its network goes at once, whatever still runs there. */
function worldClose(worlds: Worlds): ActionOf<'world.close'> {
  return life(ENDS, (call, payload) => ({
    record: () => {
      const { world_id: id, exact, approximate, reached, programs, programs_more: more } = payload;
      const { made, replaced, fs_diff: diff } = payload;
      if (worlds.find(id, call.run.id) === undefined)
        return refuse('not_found', 'there is no such world in this run');
      const data = {
        req: call.requestFields,
        world_id: id,
        ...(exact === undefined ? {} : { exact }),
        ...(approximate === undefined ? {} : { approximate }),
        ...(reached === undefined ? {} : { reached }),
        ...(programs === undefined ? {} : { programs: programs.map((one) => shown(one)) }),
        ...(more === undefined ? {} : { programs_more: more }),
        ...(made === undefined ? {} : { made: made.map((path) => redact(path).text) }),
        ...(replaced === undefined ? {} : { replaced: replaced.map((path) => redact(path).text) }),
        ...(diff === undefined ? {} : { fs_diff: redactFsDiff(diff) }),
      };
      return [{ type: 'world_end', ts: call.now, runId: call.run.id, data }];
    },
    execute: () => {
      worlds.close(payload.world_id);
      return success({});
    },
  }));
}

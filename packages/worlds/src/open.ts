import {
  type JsonValue,
  numberAt,
  processAt,
  type ProcessIdentity,
  SublError,
  textAt,
} from '@subluminal/core-types';
import { makeGroup, type WorldGroup } from './cgroup/group.js';
import { boundsOf, type Holds, holdsOf } from './enter/bounds.js';
import { launch, type Launch } from './enter/launch.js';
import type { AgentView } from './layout/agent.js';
import { assertApart } from './layout/folder.js';
import { type Guarded, guardedIn } from './layout/guarded.js';
import { guardsOf } from './layout/guards.js';
import { launchAny } from './ladder/launch-any.js';
import { type Network, networkOf, weakerThan } from './ladder/network.js';
import { NOTHING, problemOf } from './ladder/problems.js';
import { toolchains } from './layout/toolchains.js';
import { KeptLimits } from './kept.js';
import { launchNamed, type NamedDoor } from './named/launch-named.js';
import { plainOwner } from './named/plain-owner.js';
import { assertNotHidden, settingsOf, type WorldSettings } from './settings.js';
import { WorldTestimony } from './testimony.js';
import type { WorldView } from './view.js';

/** A program that is to run in a world of its own, or a world that waits for programs. */
export interface WorldRequest {
  /** The server that it is; undefined for a program of the run itself. */
  readonly server: { readonly server_name: string; readonly shim_id: string } | undefined;
  /** The process that starts it: with it the world ends. Undefined where the system does not know it. */
  readonly starter: ProcessIdentity | undefined;
  /** None: programs come to the door. */
  readonly command: readonly string[];
  /** Where the world listens for programs that are to run there; undefined: nowhere. */
  readonly door: string | undefined;
  /** Its whole environment. `HOME`, `USER`, `LOGNAME`, `SHELL` and `TMPDIR` are the world's. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment that it would have outside, with the proxy's variables: that of a world `any`. */
  readonly envOutside: NodeJS.ProcessEnv;
  readonly view: WorldView;
  /**
   * The folder of the layer over the project, in the gateway's home: it holds what the world writes there.
   * Undefined: the world writes the project itself, but for the files that are guarded.
   */
  readonly layer: string | undefined;
  /** An agent's own files, for which the gateway opens a door, too; undefined for all other programs. */
  readonly agent: AgentView | undefined;
  /** The client whose own sandbox is turned off there. */
  readonly sandboxOff: 'claude' | 'codex' | undefined;
  /** Signals that the world's first process hands on to it. */
  readonly signals: readonly NodeJS.Signals[];
  /** The time, in milliseconds since 1970: what is younger in the project may be of the world. */
  readonly now: number;
}

/** A world that is open, and how its program is started. */
export interface OpenWorld {
  readonly id: string;
  readonly network: Network;
  /** Why it is no better, if whoever starts it found out. */
  readonly shortfall: string | undefined;
  readonly launch: Launch;
  /** Hears of the world, and tells of it when it is over. */
  readonly testimony: WorldTestimony;
  /** Whether the policy lets more than one command use it. */
  readonly reuse: boolean;
  /** Patterns of paths that a commit asks about, and of commands that have a layer of their own. */
  readonly asks: readonly string[];
  readonly isolated: readonly string[];
}

/** Asks the gateway for an action of the run, and gives the data of the answer. */
export type AskRun = (action: string, payload: Readonly<Record<string, unknown>>) => Promise<JsonValue>;

/**
 * Opens a world and prepares its program: with a network of its own, or with the next weaker one that the
 * gateway's operator lets a world have, if this machine cannot make more. Throws `not_available` where this
 * machine makes no such worlds, `usage` where the policy shows or hides what it cannot, and the gateway's
 * refusals.
 */
export async function openWorld(ask: AskRun, request: WorldRequest): Promise<OpenWorld> {
  const { folder, gatewayHome, identity, read, write } = request.view;
  const { agent, sandboxOff, starter } = request;
  assertApart(agent?.programs.map(({ source }) => source) ?? [], gatewayHome);
  let weaker: { readonly network: Network; readonly shortfall: string } | undefined;
  for (;;) {
    const data = await ask('world.open', {
      ...request.server,
      ...(starter === undefined ? {} : { starter }),
      folder,
      ...(agent === undefined ? {} : { has_door: true }),
      ...(sandboxOff === undefined ? {} : { sandbox_off: sandboxOff }),
      ...weaker,
    });
    const opened = openedBy(data);
    const { id, network, least } = opened;
    let kept: KeptLimits | undefined;
    try {
      const settings = settingsOf(data, { home: identity.user.home, folder });
      assertApart([...settings.read, ...settings.write], gatewayHome);
      assertNotHidden([...read, ...write], settings);
      const { limits, reuse, asks, isolated } = settings;
      const group = makeGroup(limits, id);
      kept = new KeptLimits(holdsIn(network, limits, group), group);
      const written = [...write, ...settings.write];
      const isLayered = request.layer !== undefined;
      const guarded = guardedIn({ folder, isLayered, written }, request.now);
      const guards = guardsOf({
        folder,
        user: identity.user,
        guarded,
        hidden: settings.hidden,
        read: [...read, ...settings.read],
        write: written,
      });
      const testimony = new WorldTestimony(kept, guarded, folder, guards);
      const next = network === least ? undefined : weakerThan(network);
      const trial = { ...request, command: NOTHING, door: undefined, signals: [] };
      const launched = (program: WorldRequest): Launch =>
        launchOf(opened, program, { settings, guarded, group });
      const shortfall = next === undefined ? undefined : await problemOf(() => launched(trial));
      if (next === undefined || shortfall === undefined)
        return {
          id,
          network,
          shortfall: weaker?.shortfall,
          launch: launched(request),
          testimony,
          reuse,
          asks,
          isolated,
        };
      weaker = { network: next, shortfall };
    } catch (error) {
      // Nobody will live there.
      await kept?.over();
      await ask('world.close', { world_id: id });
      throw error;
    }
    await kept.over();
    await ask('world.close', { world_id: id });
  }
}

/** How well limits hold: without namespaces processes are counted by user, and `any` holds nothing. */
function holdsIn(network: Network, limits: WorldSettings['limits'], group: WorldGroup | undefined): Holds {
  const holds = holdsOf(limits, group);
  if (network === 'full') return holds;
  if (network === 'any') return { exact: [], approximate: [] };
  return {
    exact: holds.exact.filter((name) => name !== 'processes'),
    approximate: [...holds.approximate, 'processes'],
  };
}

/** A world as the gateway has opened it. */
type Opened = { readonly id: string; readonly least: Network } & (
  | { readonly network: 'full'; readonly holder: ProcessIdentity; readonly doorFolder: string }
  | { readonly network: 'named'; readonly door: NamedDoor }
  | { readonly network: 'any' }
);

function openedBy(data: JsonValue): Opened {
  const id = textAt(data, 'world_id');
  const network = networkOf(textAt(data, 'network'));
  const least = networkOf(textAt(data, 'require')) ?? network;
  const holder = processAt(data, 'holder');
  const port = numberAt(data, 'door', 'port');
  if (network === 'any') return { id, least: 'any', network };
  if (network === 'full' && holder !== undefined && least !== undefined)
    return {
      id,
      least,
      network,
      holder,
      doorFolder: textAt(data, 'door_folder'),
    };
  if (network === 'named' && port !== undefined && least !== undefined) {
    const door = { port, token: textAt(data, 'door', 'token'), proof: textAt(data, 'door', 'proof') };
    return { id, least, network, door };
  }
  throw new SublError('failed', 'the gateway opened a world but did not say where');
}

/** The bounds of a world, as its policy and its project give them. */
interface Confinement {
  readonly settings: WorldSettings;
  readonly guarded: Guarded;
  readonly group: WorldGroup | undefined;
}

function launchOf(opened: Opened, request: WorldRequest, { settings, guarded, group }: Confinement): Launch {
  const { limits, hidden } = settings;
  const { identity, folder, cwd, gatewayHome: scratch } = request.view;
  const read = [...request.view.read, ...settings.read];
  const write = [...request.view.write, ...settings.write];
  const { user, plainUid } = identity;
  const { agent, command, door, layer, signals } = request;
  const program = { command, env: { ...request.env, ...worldVariables(request.view) }, signals };
  const programs = toolchains(request.env['PATH'] ?? '', user.home, [folder, scratch]);
  const bounds = boundsOf(limits, group, user.home);
  const shown = { folder, cwd, read, write, hidden, scratch, bounds };
  if (opened.network === 'full') {
    const { holder, doorFolder } = opened;
    const tmpBytes = Math.min(limits.diskBytes ?? Infinity, limits.memoryBytes ?? Infinity);
    return launch(program, {
      ...shown,
      // The narrower word holds, and of one path the last one.
      read: [...guarded.fixed, ...read],
      write: [...guarded.around, ...write.filter((path) => !guarded.freed.includes(path))],
      programs,
      door,
      layer,
      holder,
      plainUid: plainUid(holder.pid),
      user,
      agent: agent === undefined ? undefined : { view: agent, folder: doorFolder, home: scratch },
      tmpBytes,
    });
  }
  if (agent !== undefined)
    throw new SublError('not_available', 'an agent in a world needs a network of its own', {
      help: '`sub world doctor` says why this machine gives none',
    });
  if (door !== undefined)
    throw new SublError('not_available', 'a world that waits for commands needs a network of its own', {
      help: 'give each command a world of its own: `sub world exec --fresh`',
    });
  if (layer !== undefined)
    throw new SublError(
      'not_available',
      `a world with the network \`${opened.network}\` lays no layer over the project`,
      { help: 'have it write there: `--write-through`; or have a full one: `sub world doctor`' },
    );
  if (hidden.length > 0)
    throw new SublError(
      'not_available',
      `a world with the network \`${opened.network}\` cannot hide \`${hidden[0]}\``,
      { help: 'take it out of the policy, or have a full one: `sub world doctor`' },
    );
  if (bounds.watched !== undefined || (opened.network === 'any' && group !== undefined))
    throw new SublError(
      'not_available',
      `a world with the network \`${opened.network}\` cannot keep its limits`,
      {
        help: 'take them out of the policy, or make it a full one: `sub world doctor`',
      },
    );
  if (opened.network === 'any') return launchAny(command, request.envOutside);
  const folders = programs.map(({ source }) => source);
  return launchNamed(program, { ...shown, programs: folders, door: opened.door, plain: plainOwner(folder) });
}

/** The variables of every program of a world, whatever its environment says. */
export function worldVariables({ identity: { user } }: WorldView): Readonly<Record<string, string>> {
  const { home, name, shell } = user;
  return { HOME: home, USER: name, LOGNAME: name, SHELL: shell, TMPDIR: '/tmp' };
}

import { type JsonValue, numberAt, SublError, textAt } from '@subluminal/core-types';
import { makeGroup } from './cgroup/group.js';
import { boundsOf } from './enter/bounds.js';
import { launch, type Launch } from './enter/launch.js';
import type { AgentView } from './layout/agent.js';
import { assertApart } from './layout/folder.js';
import { guardedFiles, isGuarded } from './layout/guarded.js';
import { toolchains } from './layout/toolchains.js';
import { KeptLimits } from './kept.js';
import { assertNotHidden, settingsOf } from './settings.js';
import { WorldTestimony } from './testimony.js';
import type { WorldView } from './view.js';

/** A program that is to run in a world of its own, or a world that waits for programs. */
export interface WorldRequest {
  /** The server that it is; undefined for a program of the run itself. */
  readonly server: { readonly server_name: string; readonly shim_id: string } | undefined;
  /** None: programs come to the door. */
  readonly command: readonly string[];
  /** Where the world listens for programs that are to run there; undefined: nowhere. */
  readonly door: string | undefined;
  /** Its whole environment. `HOME`, `USER`, `LOGNAME`, `SHELL` and `TMPDIR` are the world's. */
  readonly env: Readonly<Record<string, string>>;
  readonly view: WorldView;
  /** An agent's own files, for which the gateway opens a door, too; undefined for all other programs. */
  readonly agent: AgentView | undefined;
  /** The client whose own sandbox is turned off there. */
  readonly sandboxOff: 'claude' | 'codex' | undefined;
  /** Signals that the world's first process hands on to it. */
  readonly signals: readonly NodeJS.Signals[];
}

/** A world that is open, and how its program is started. */
export interface OpenWorld {
  readonly id: string;
  readonly launch: Launch;
  /** Hears of the world, and tells of it when it is over. */
  readonly testimony: WorldTestimony;
  /** Whether the policy lets more than one command use it. */
  readonly reuse: boolean;
}

/** Asks the gateway for an action of the run, and gives the data of the answer. */
export type AskRun = (action: string, payload: Readonly<Record<string, unknown>>) => Promise<JsonValue>;

/**
 * Opens a world and prepares its program. Throws `usage` where the policy shows or hides what it cannot,
 * `not_available` where this machine makes no worlds, and the gateway's refusals.
 */
export async function openWorld(ask: AskRun, request: WorldRequest): Promise<OpenWorld> {
  const { identity, folder, cwd, read, write, gatewayHome } = request.view;
  const { user, plainUid } = identity;
  const { agent } = request;
  assertApart(agent?.programs.map(({ source }) => source) ?? [], gatewayHome);
  const opened = await ask('world.open', {
    ...request.server,
    folder,
    ...(agent === undefined ? {} : { has_door: true }),
    ...(request.sandboxOff === undefined ? {} : { sandbox_off: request.sandboxOff }),
  });
  const pid = numberAt(opened, 'holder', 'pid');
  if (pid === undefined) throw new SublError('failed', 'the gateway opened a world but did not say where');
  const id = textAt(opened, 'world_id');
  const env = { ...request.env, ...worldVariables(request.view) };
  let kept: KeptLimits | undefined;
  try {
    const settings = settingsOf(opened, { home: user.home, folder });
    assertApart([...settings.read, ...settings.write], gatewayHome);
    assertNotHidden([...read, ...write], settings);
    const { limits, reuse } = settings;
    const written = [...write, ...settings.write];
    const guarded = guardedFiles(folder, written);
    const group = makeGroup(limits, id);
    kept = new KeptLimits(limits, group);
    const made = launch(
      { command: request.command, env, signals: request.signals },
      {
        holder: { pid, start: textAt(opened, 'holder', 'start') },
        programs: toolchains(request.env['PATH'] ?? '', user.home, [folder, gatewayHome]),
        scratch: gatewayHome,
        door: request.door,
        plainUid: plainUid(pid),
        user,
        agent:
          agent === undefined
            ? undefined
            : { view: agent, socket: textAt(opened, 'socket'), home: gatewayHome },
        folder,
        cwd,
        // The narrower word holds, and of one path the last one.
        read: [...guarded.fixed, ...read, ...settings.read],
        write: [...guarded.around, ...written.filter((path) => !isGuarded(folder, path))],
        hidden: settings.hidden,
        bounds: boundsOf(limits, group, user.home),
        tmpBytes: Math.min(limits.diskBytes ?? Infinity, limits.memoryBytes ?? Infinity),
      },
    );
    return { id, launch: made, testimony: new WorldTestimony(kept, guarded, folder), reuse };
  } catch (error) {
    // Nobody will live there.
    await kept?.over();
    await ask('world.close', { world_id: id });
    throw error;
  }
}

/** The variables of every program of a world, whatever its environment says. */
export function worldVariables({ identity: { user } }: WorldView): Readonly<Record<string, string>> {
  const { home, name, shell } = user;
  return { HOME: home, USER: name, LOGNAME: name, SHELL: shell, TMPDIR: '/tmp' };
}

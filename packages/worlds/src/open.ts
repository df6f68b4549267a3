import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type JsonValue, numberAt, SublError, textAt } from '@subluminal/core-types';
import { launch, type Launch } from './enter/launch.js';
import { assertApart, worldFolder } from './layout/folder.js';
import { toolchains } from './layout/toolchains.js';
import { worldIdentity } from './layout/user.js';

/** A program that is to run in a world of its own. */
export interface WorldRequest {
  /** The server that it is; undefined for a program of the run itself. */
  readonly server: { readonly server_name: string; readonly shim_id: string } | undefined;
  readonly command: readonly [string, ...string[]];
  /** Its whole environment. `HOME`, `USER`, `LOGNAME`, `SHELL` and `TMPDIR` are the world's. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it starts in. The project around it may be written. */
  readonly cwd: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The gateway's home, whose keys and socket are no world's. */
  readonly gatewayHome: string;
  /** Signals that the world's first process hands on to it. */
  readonly signals: readonly NodeJS.Signals[];
}

/** A world that is open, and how its program is started. */
export interface OpenWorld {
  readonly id: string;
  readonly launch: Launch;
}

/** Asks the gateway for an action of the run, and gives the data of the answer. */
export type AskRun = (action: string, payload: Readonly<Record<string, unknown>>) => Promise<JsonValue>;

/** Processes at once: more than a build starts, and less than a machine has. No memory is dumped. */
const LIMITS = { nproc: 4096, core: 0 } as const;

/**
 * Opens a world and prepares its program. Throws `usage` for a folder that confines nothing, for a path that
 * is not there or leads elsewhere, and for one that shows the gateway's home, `not_available` where this
 * machine makes no worlds, and the gateway's refusals.
 */
export async function openWorld(ask: AskRun, request: WorldRequest): Promise<OpenWorld> {
  const { user, plainUid } = worldIdentity();
  const cwd = realpathSync(request.cwd);
  const folder = worldFolder(cwd, user.home);
  const [read, write] = [request.read, request.write].map((paths) => paths.map((path) => existing(path)));
  assertApart([folder, ...(read ?? []), ...(write ?? [])], request.gatewayHome);
  const { home, name, shell } = user;
  const own = { HOME: home, USER: name, LOGNAME: name, SHELL: shell, TMPDIR: '/tmp' };
  const opened = await ask('world.open', { ...request.server, folder });
  const pid = numberAt(opened, 'holder', 'pid');
  if (pid === undefined) throw new SublError('failed', 'the gateway opened a world but did not say where');
  const id = textAt(opened, 'world_id');
  const program = { command: request.command, env: { ...request.env, ...own }, signals: request.signals };
  try {
    const made = launch(program, {
      holder: { pid, start: textAt(opened, 'holder', 'start') },
      programs: toolchains(request.env['PATH'] ?? '', home, [folder, request.gatewayHome]),
      scratch: request.gatewayHome,
      plainUid: plainUid(pid),
      user,
      folder,
      cwd,
      read: read ?? [],
      write: write ?? [],
      limits: LIMITS,
    });
    return { id, launch: made };
  } catch (error) {
    // Nobody will live there.
    await ask('world.close', { world_id: id });
    throw error;
  }
}

/** A path that is what it says: a link in it may be a program's, which has it lead to what nobody named. */
function existing(path: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (cause) {
    throw new SublError('usage', `\`${path}\` is not there, so a world cannot show it`, { cause });
  }
  if (real === resolve(path)) return real;
  throw new SublError('usage', `\`${path}\` leads by a link to \`${real}\``, {
    help: 'name that path itself, if a world may have it',
  });
}

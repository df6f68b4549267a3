import { SublError } from '@subluminal/core-types';
import type { CommandEnd, WorldBackend, WorldView } from '@subluminal/worlds';
import type { Call } from '../../program/call.js';
import type { WorldFlags } from '../../run/command/flags.js';
import { startWorld } from '../session/bring.js';
import { closeSession, type OpenSession } from '../session/close.js';
import { openSessions, sessionPlace } from '../session/place.js';
import { runInSession } from '../session/run.js';

/** Worlds of namespaces of this machine, each kept by a process of its own until it is closed. */
export class LinuxLocal implements WorldBackend {
  readonly name = 'linux-local';
  readonly #call: Call<WorldFlags>;

  constructor(call: Call<WorldFlags>) {
    this.#call = call;
  }

  ensureSession(view: WorldView): Promise<void> {
    return this.#of(view) === undefined ? startWorld(this.#call, view) : Promise.resolve();
  }

  exec(view: WorldView, command: readonly [string, ...string[]]): Promise<CommandEnd | undefined> {
    return runInSession(this.#call, view, command);
  }

  /** The gateway decides each connection, name and command by the rules of the moment: there is no copy. */
  applyPolicy(): Promise<void> {
    return Promise.resolve();
  }

  async close(view: WorldView): Promise<void> {
    const session = this.#of(view);
    if (session === undefined)
      throw new SublError('not_found', 'this folder has no world that waits for commands', {
        help: '`sub world status` lists the worlds; one of a run or a server ends with it',
      });
    await closeSession(session);
  }

  #of(view: WorldView): OpenSession | undefined {
    const { about } = sessionPlace(this.#call.home, view);
    return openSessions(this.#call.home).find(({ place }) => place.about === about);
  }
}

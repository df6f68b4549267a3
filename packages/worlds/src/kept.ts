import { makeGroup, type WorldGroup } from './cgroup/group.js';
import { type Holds, holdsOf } from './enter/bounds.js';
import type { WorldLimits } from './limits.js';
import type { WatchedLimit } from './session/supervisor.js';

/** The words of `world.close` on the limits of a world that is over. */
export interface LimitsTold extends Holds {
  /** The limit for which a program of the world was ended, or all of it: the last one, of several. */
  readonly reached?: WatchedLimit;
}

/** The limits of a world that is open, as they are kept. */
export class KeptLimits {
  readonly holds: Holds;
  readonly #group: WorldGroup | undefined;
  #reached: WatchedLimit | undefined;

  constructor(holds: Holds, group: WorldGroup | undefined) {
    this.holds = holds;
    this.#group = group;
  }

  /** The world's first process has told of a limit; it has said so on stderr, too. */
  noticed(limit: WatchedLimit): void {
    this.#reached = limit;
  }

  /**
   * To be called when nothing of the world runs any more. Gives what is told of its limits; `remark` is a
   * sentence for people, undefined where nothing is left to say.
   */
  async over(): Promise<{ readonly told: LimitsTold; readonly remark: string | undefined }> {
    const ended = this.#group?.ended() ?? 0;
    if (ended > 0) this.#reached = 'memory';
    await this.#group?.remove();
    const reached = this.#reached === undefined ? {} : { reached: this.#reached };
    const remark = `the world has reached a limit: its memory was used up (processes ended: ${ended})`;
    return { told: { ...this.holds, ...reached }, remark: ended > 0 ? remark : undefined };
  }
}

/** How well each limit would hold in a world that this user starts on this machine. */
export async function holdsHere(): Promise<Holds> {
  const all: WorldLimits = { memoryBytes: 1_073_741_824, cpus: 1, processes: 64, wallMs: 1, diskBytes: 1 };
  const group = makeGroup(all, 'tried');
  await group?.remove();
  return holdsOf(all, group);
}

import type { KeptLimits, LimitsTold } from './kept.js';
import { type Guarded, madeRemark, madeSince } from './layout/guarded.js';
import { type ProgramsTold, StartedPrograms } from './session/started-programs.js';
import type { WatchedLimit } from './session/supervisor.js';

/** The facts of a world that is over, in the payload of `world.close`. */
export interface WorldTold extends LimitsTold, ProgramsTold {
  /** Files of the project that other programs run, and that were not there before. */
  readonly made?: readonly string[];
}

/** Files that are told, at most. */
const MOST_MADE = 32;

/** Keeps what has to be told of a world when it is over. */
export class WorldTestimony {
  /** The programs that it starts. */
  readonly programs = new StartedPrograms();
  readonly #limits: KeptLimits;
  readonly #guarded: Guarded;
  readonly #folder: string;

  constructor(limits: KeptLimits, guarded: Guarded, folder: string) {
    this.#limits = limits;
    this.#guarded = guarded;
    this.#folder = folder;
  }

  /** The world's first process has told of a limit; it has said so on stderr, too. */
  noticed(limit: WatchedLimit): void {
    this.#limits.noticed(limit);
  }

  /** To be called when nothing of the world runs any more. `remarks` are sentences for people. */
  async over(): Promise<{ readonly told: WorldTold; readonly remarks: readonly string[] }> {
    const { told, remark } = await this.#limits.over();
    const made = madeSince(this.#guarded, this.#folder).slice(0, MOST_MADE);
    return {
      told: { ...told, ...this.programs.told, ...(made.length === 0 ? {} : { made }) },
      remarks: [...(remark === undefined ? [] : [remark]), ...(made.length === 0 ? [] : [madeRemark(made)])],
    };
  }
}

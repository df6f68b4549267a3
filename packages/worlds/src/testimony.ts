import { type Guard, mountAgain } from './enter/guard.js';
import type { KeptLimits, LimitsTold } from './kept.js';
import { type Guarded, madeRemark, madeSince } from './layout/guarded.js';
import { type ProgramsTold, StartedPrograms } from './session/started-programs.js';
import type { WatchedLimit } from './session/supervisor.js';

/** The facts of a world that is over, in the payload of `world.close`. */
export interface WorldTold extends LimitsTold, ProgramsTold {
  /** Files of the project that other programs run, and that were not there before. */
  readonly made?: readonly string[];
  /** Files that it may not change, or not read, and that were replaced outside meanwhile. */
  readonly replaced?: readonly string[];
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
  readonly #guards: ReadonlyMap<string, Guard>;
  readonly #replaced = new Set<string>();

  constructor(limits: KeptLimits, guarded: Guarded, folder: string, guards: readonly Guard[]) {
    this.#limits = limits;
    this.#guarded = guarded;
    this.#folder = folder;
    this.#guards = new Map(guards.map((guard) => [guard.path, guard]));
  }

  /** Makes mounts of the world again, as `SupervisorHandlers.unguarded` wants it. */
  async guardAgain(world: number, places: readonly string[]): Promise<readonly string[] | undefined> {
    const guards = places.flatMap((place) => this.#guards.get(place) ?? []);
    if (guards.length < places.length) return undefined;
    for (const place of places) if (this.#replaced.size < MOST_MADE) this.#replaced.add(place);
    const without = await mountAgain(world, guards);
    // Where nothing is any more there is nothing to change; what comes there later must not be read.
    const isSeen = without?.some((place) => this.#guards.get(place)?.is === 'hidden');
    return isSeen === true ? undefined : without;
  }

  /** The world's first process has told of a limit; it has said so on stderr, too. */
  noticed(limit: WatchedLimit): void {
    this.#limits.noticed(limit);
  }

  /** To be called when nothing of the world runs any more. `remarks` are sentences for people. */
  async over(): Promise<{ readonly told: WorldTold; readonly remarks: readonly string[] }> {
    const { told, remark } = await this.#limits.over();
    const made = madeSince(this.#guarded, this.#folder).slice(0, MOST_MADE);
    const replaced = [...this.#replaced];
    return {
      told: {
        ...told,
        ...this.programs.told,
        ...(made.length === 0 ? {} : { made }),
        ...(replaced.length === 0 ? {} : { replaced }),
      },
      remarks: [
        ...(remark === undefined ? [] : [remark]),
        ...(made.length === 0 ? [] : [madeRemark(made)]),
        ...(replaced.length === 0 ? [] : [replacedRemark(replaced)]),
      ],
    };
  }
}

function replacedRemark(replaced: readonly string[]): string {
  const names = replaced.map((path) => `\`${path}\``).join(', ');
  return `${names} was replaced outside, and for a moment the world could change it: look before you go on`;
}

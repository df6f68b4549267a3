/** A program that was started in a world, and how often. */
export interface StartedProgram {
  readonly path: string;
  /** The program that started it. */
  readonly by: string;
  readonly count: number;
}

/** The programs as they are told: the most frequent ones, and how many starts have no place among them. */
export interface ProgramsTold {
  readonly programs?: readonly StartedProgram[];
  readonly programs_more?: number;
}

/** Programs that are told, at most. */
const MOST_TOLD = 64;
/** Programs that are remembered, at most. */
const MOST_KEPT = 1024;

/** The programs that a world, or one command in it, has started, each with the one that started it. */
export class StartedPrograms {
  readonly #all = new Map<string, StartedProgram>();
  /** Starts that came too fast to be looked at, or of too many programs. */
  #more = 0;

  /** Adds programs as the first process of a world tells them; false where these are none. */
  add(words: readonly string[]): boolean {
    const [more, ...rest] = words;
    if (!isCount(Number(more)) || rest.length % 3 !== 0) return false;
    this.#more += Number(more);
    for (let at = 0; at < rest.length; at += 3) {
      const [path = '', by = '', count] = rest.slice(at, at + 3);
      if (!isCount(Number(count))) return false;
      this.#count({ path, by, count: Number(count) });
    }
    return true;
  }

  /** Nothing, if nothing was started. */
  get told(): ProgramsTold {
    const all = [...this.#all.values()].toSorted((a, b) => b.count - a.count);
    const left = all.slice(MOST_TOLD).reduce((sum, { count }) => sum + count, this.#more);
    return {
      ...(all.length === 0 ? {} : { programs: all.slice(0, MOST_TOLD) }),
      ...(left === 0 ? {} : { programs_more: left }),
    };
  }

  #count({ path, by, count }: StartedProgram): void {
    const key = JSON.stringify([path, by]);
    const known = this.#all.get(key);
    if (known === undefined && this.#all.size >= MOST_KEPT) this.#more += count;
    else this.#all.set(key, { path, by, count: count + (known?.count ?? 0) });
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

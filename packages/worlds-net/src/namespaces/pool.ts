import type { Doors } from '../doors.js';

/** Networks that wait for a world: making one takes longer than a person wants to wait for a command. */
const KEPT = 2;
/**
 * So long after one was taken the next ones are made: the program that is being started now needs the
 * processors more.
 */
const FILL_AFTER_MS = 150;
/** Without a world for so long nothing is kept. */
const IDLE_MS = 600_000;

/** Keeps networks ready, from the first world on. */
export class DoorPool {
  readonly #open: () => Promise<Doors>;
  readonly #monotonic: () => number;
  readonly #ready: Doors[] = [];
  #opening = 0;
  #usedAt = 0;
  #isStopped = false;
  #filling: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<Doors>, monotonic: () => number) {
    this.#open = open;
    this.#monotonic = monotonic;
  }

  /** A network that nobody has had. Throws as `openDoors`. */
  async take(): Promise<Doors> {
    this.#usedAt = this.#monotonic();
    const ready = this.#ready.shift();
    const doors = ready ?? (await this.#open());
    this.#filling ??= setTimeout(() => {
      this.#filling = undefined;
      this.#fill();
    }, FILL_AFTER_MS).unref();
    return doors;
  }

  /** Lets go what nobody has asked for in a long time. */
  sweep(): void {
    if (this.#monotonic() - this.#usedAt > IDLE_MS) this.#empty();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#filling);
    this.#empty();
  }

  #empty(): void {
    for (const doors of this.#ready.splice(0)) doors.close();
  }

  #fill(): void {
    while (!this.#isStopped && this.#ready.length + this.#opening < KEPT) {
      this.#opening += 1;
      this.#open().then(
        (doors) => this.#keep(doors),
        // The next world asks for itself, and is told.
        () => (this.#opening -= 1),
      );
    }
  }

  #keep(doors: Doors): void {
    this.#opening -= 1;
    if (this.#isStopped) {
      doors.close();
      return;
    }
    this.#ready.push(doors);
    void doors.ended.then(() => {
      const at = this.#ready.indexOf(doors);
      if (at !== -1) this.#ready.splice(at, 1);
    });
  }
}

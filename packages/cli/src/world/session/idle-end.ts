import type { ProcessIdentity } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { Supervisor } from '@subluminal/worlds';
import { askerProblem } from './asker.js';
import type { Commands } from './commands.js';

const RUNS = 'something runs there';

/** A world that waits for programs, by its home, its run and its commands. */
export interface IdleEndParts {
  readonly home: HomePaths;
  readonly runId: string;
  readonly commands: Commands;
}

/** Knows who asks for the end of a world, and refuses it while something runs there. */
export class IdleEnd {
  readonly #parts: IdleEndParts;
  readonly #waiting: number[] = [];

  constructor(parts: IdleEndParts) {
    this.#parts = parts;
  }

  /** The answer comes with the number of processes, which is asked for. */
  asked(supervisor: Supervisor, id: number, asker: ProcessIdentity): void {
    const { home, runId, commands } = this.#parts;
    const problem = askerProblem(home, asker, runId) ?? (commands.isQuiet ? undefined : RUNS);
    if (problem !== undefined) {
      supervisor.refuse(id, problem);
      return;
    }
    this.#waiting.push(id);
    supervisor.count();
  }

  /** Whether the world is to end now. A command that came meanwhile keeps it. */
  mayEnd(supervisor: Supervisor, processes: number): boolean {
    const waiting = this.#waiting.splice(0);
    if (waiting.length > 0 && processes === 0 && this.#parts.commands.isQuiet) return true;
    for (const id of waiting) supervisor.refuse(id, RUNS);
    return false;
  }
}

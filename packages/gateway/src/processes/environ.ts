import { readdirSync, readFileSync } from 'node:fs';
import { nextTurn, type ProcessIdentity } from '@subluminal/core-types';
import { hasCode, processIdentity } from '@subluminal/ipc';

/** The variable that marks everything that a shim started. */
const MARK = 'SUB_UPSTREAM_TOKEN=';

/** What the system tells of its processes. */
export interface ProcessTable {
  pids(): readonly number[];
  /** `NAME=value` each; empty for a process that ended or belongs to somebody else. */
  environment(pid: number): readonly string[];
  identity(pid: number): ProcessIdentity | undefined;
}

/** So many environments are read in one turn of the event loop: a system may have thousands of processes. */
const SLICE = 64;

/**
 * Processes that began while the others were looked at are looked at as well, and so on, up to so often: one
 * that forks and ends at once is not overlooked.
 */
const ROUNDS = 8;

type Carriers = ReadonlyMap<string, readonly number[]>;

/**
 * Finds what carries a token. All who ask before a look at the system begins share it: looking for the
 * servers of a hundred dead shims costs no more than for one. One look goes on at a time, in turns of the
 * event loop.
 */
export class TokenScan {
  readonly #table: ProcessTable;
  #next: Promise<Carriers> | undefined;
  /** Resolves when the look that goes on is over, however it ends. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(table: ProcessTable = SYSTEM) {
    this.#table = table;
  }

  /**
   * Every process of ours whose environment carries the token, whoever its parent is now: a process keeps the
   * environment that it was started with through forks, new sessions and double forks. One that was started
   * with a cleared environment is not found. Linux only; elsewhere nothing is found.
   */
  async processesWith(token: string): Promise<ProcessIdentity[]> {
    this.#next ??= this.#last.then(nextTurn).then(() => {
      this.#next = undefined;
      const look = this.#look();
      this.#last = look.catch(() => undefined);
      return look;
    });
    const pids = (await this.#next).get(token) ?? [];
    return pids.flatMap((pid) => {
      const identity = this.#table.identity(pid);
      // Since the look the number may have gone to a process that is none of ours to end.
      const carries = this.#table.environment(pid).includes(MARK + token);
      return identity !== undefined && carries ? [identity] : [];
    });
  }

  async #look(): Promise<Carriers> {
    const found = new Map<string, number[]>();
    const seen = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const fresh = this.#table.pids().filter((pid) => !seen.has(pid));
      if (fresh.length === 0) break;
      for (const [at, pid] of fresh.entries()) {
        if (at > 0 && at % SLICE === 0) await nextTurn();
        seen.add(pid);
        if (pid > 1 && pid !== process.pid) this.#note(pid, found);
      }
    }
    return found;
  }

  #note(pid: number, found: Map<string, number[]>): void {
    for (const variable of this.#table.environment(pid)) {
      if (!variable.startsWith(MARK)) continue;
      const token = variable.slice(MARK.length);
      found.set(token, [...(found.get(token) ?? []), pid]);
    }
  }
}

const SYSTEM: ProcessTable = {
  pids() {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').flatMap((name) => (/^[0-9]+$/.test(name) ? [Number(name)] : []));
  },
  environment(pid) {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    } catch (error) {
      // ENOENT and ESRCH: it ended meanwhile. EACCES and EPERM: not a process of ours, so nothing that a shim
      // started.
      if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return [];
      throw error;
    }
  },
  identity: processIdentity,
};

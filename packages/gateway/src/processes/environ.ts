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

/**
 * Finds what carries a token. All who ask in one turn of the event loop share one look at the system, which
 * begins after they asked: looking for the servers of a hundred dead shims costs no more than for one.
 */
export class TokenScan {
  readonly #table: ProcessTable;
  #next: Promise<ReadonlyMap<string, readonly number[]>> | undefined;

  constructor(table: ProcessTable = SYSTEM) {
    this.#table = table;
  }

  /**
   * Every process of ours whose environment carries the token, whoever its parent is now: a process keeps the
   * environment that it was started with through forks, new sessions and double forks. One that was started
   * with a cleared environment is not found. Linux only; elsewhere nothing is found.
   */
  async processesWith(token: string): Promise<ProcessIdentity[]> {
    this.#next ??= nextTurn().then(() => {
      this.#next = undefined;
      return this.#look();
    });
    const pids = (await this.#next).get(token) ?? [];
    return pids.flatMap((pid) => {
      const identity = this.#table.identity(pid);
      // Since the look the number may have gone to a process that is none of ours to end.
      const carries = this.#table.environment(pid).includes(MARK + token);
      return identity !== undefined && carries ? [identity] : [];
    });
  }

  #look(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, number[]>();
    for (const pid of this.#table.pids()) {
      if (pid <= 1 || pid === process.pid) continue;
      for (const variable of this.#table.environment(pid)) {
        if (!variable.startsWith(MARK)) continue;
        const token = variable.slice(MARK.length);
        found.set(token, [...(found.get(token) ?? []), pid]);
      }
    }
    return found;
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

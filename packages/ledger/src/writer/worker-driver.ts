import { isErrorCode, SublError } from '@subluminal/core-types';
import { Worker } from 'node:worker_threads';
import type { EntryPosition } from '../entry/input.js';
import type { PreparedGroup } from '../entry/prepare.js';
import type { PurgeReport } from '../expiry/purge.js';
import type { IndexReport } from '../lookup/filler.js';
import type { FlushReason } from '../store/store.js';
import type { CommitReport, Driver, DriverOpened } from './driver.js';
import { packGroups } from './packed-groups.js';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './worker-protocol.js';

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: SublError) => void;
}

/**
 * Runs the store in a worker thread, so that a slow disk never stalls this one
 * (docs/decisions/02-one-writer.md).
 */
export class WorkerDriver implements Driver {
  readonly #worker: Worker;
  #waiting: Waiting | undefined;
  #dead: SublError | undefined;

  constructor(start: WorkerStart, url: URL) {
    this.#worker = new Worker(url, { workerData: start });
    this.#worker.on('message', (answer: WorkerAnswer) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(answer);
    });
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(undefined));
  }

  async open(nowMs: number): Promise<DriverOpened> {
    const answer = await this.#ask({ do: 'open', nowMs });
    if (!('opened' in answer)) throw unexpected();
    return answer.opened;
  }

  async commit(groups: readonly PreparedGroup[], nowMs: number): Promise<CommitReport> {
    const answer = await this.#ask({ do: 'commit', groups: packGroups(groups), nowMs });
    if (!('report' in answer)) throw unexpected();
    return answer.report;
  }

  async flushHead(nowMs: number, reason: FlushReason): Promise<EntryPosition> {
    const answer = await this.#ask({ do: 'flush', nowMs, reason });
    if (!('tip' in answer)) throw unexpected();
    return answer.tip;
  }

  async purge(): Promise<PurgeReport> {
    const answer = await this.#ask({ do: 'purge' });
    if (!('purged' in answer)) throw unexpected();
    return answer.purged;
  }

  async index(): Promise<IndexReport> {
    const answer = await this.#ask({ do: 'index' });
    if (!('indexed' in answer)) throw unexpected();
    return answer.indexed;
  }

  async rotate(nowMs: number): Promise<EntryPosition> {
    const answer = await this.#ask({ do: 'rotate', nowMs });
    if (!('tip' in answer)) throw unexpected();
    return answer.tip;
  }

  async close(): Promise<void> {
    try {
      if (this.#dead === undefined) await this.#ask({ do: 'close' });
    } finally {
      await this.#worker.terminate();
    }
  }

  async #ask(request: WorkerRequest): Promise<WorkerAnswer & { ok: true }> {
    if (this.#dead !== undefined) throw this.#dead;
    const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(request);
    });
    if (answer.ok) return answer;
    const { code, message, help } = answer;
    const more = help === undefined ? {} : { help };
    throw new SublError(isErrorCode(code) ? code : 'audit_unavailable', message, more);
  }

  /** The thread is gone: whether its last commit reached the disk is unknown. */
  #die(cause: unknown): void {
    this.#dead ??= new SublError('audit_unavailable', 'the thread that writes the ledger ended', { cause });
    this.#waiting?.reject(this.#dead);
    this.#waiting = undefined;
  }
}

function unexpected(): SublError {
  return new SublError('audit_unavailable', 'the thread that writes the ledger gave the wrong answer');
}

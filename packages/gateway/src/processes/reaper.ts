import { sha256Hex, type ProcessIdentity } from '@subluminal/core-types';
import { hasCode, isAlive } from '@subluminal/ipc';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { Recorder } from '../recording/recorder.js';
import type { Upstream, UpstreamStore } from '../store/upstreams.js';
import { TokenScan } from './environ.js';
import { closeShimCalls } from '../runs/close-calls.js';
import type { RunRegistry } from '../runs/registry.js';

/** What the reaper works with. */
export interface ReaperParts {
  readonly upstreams: UpstreamStore;
  readonly registry: RunRegistry;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** From SIGTERM to SIGKILL. ARCHITECTURE.md, "The shim". */
const GRACE_MS = 5000;
const POLL_MS = 100;
/** After SIGKILL; a process that survives it that long is stuck in the kernel. */
const KILL_MS = 5000;

/** Ends what a shim left behind that died without saying so: no server outlives its shim. */
export class Reaper {
  readonly #parts: ReaperParts;
  readonly #scan = new TokenScan();
  readonly #busy = new Map<string, Promise<void>>();

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  /** Looks at every upstream whose shim is gone. Returns at once. */
  sweep(): void {
    for (const upstream of this.#parts.upstreams.all()) {
      if (this.#busy.has(upstream.token) || isAlive(upstream.shim)) continue;
      const reaped = this.#reap(upstream)
        .catch((error: unknown) => {
          this.#parts.log.error('an upstream could not be reaped', {
            shim: upstream.shimId,
            error: errorText(error),
          });
        })
        .finally(() => this.#busy.delete(upstream.token));
      this.#busy.set(upstream.token, reaped);
    }
  }

  /** Resolves when what has begun is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  async #reap(upstream: Upstream): Promise<void> {
    const { upstreams, log } = this.#parts;
    const found = await this.#scan.processesWith(upstream.token);
    const killed = new Set(found.map((one) => `${one.pid}-${one.start}`));
    signal(found, 'SIGTERM');
    await this.#closeCalls(upstream);
    let left = await this.#untilGone(upstream.token, GRACE_MS);
    const killUntil = performance.now() + KILL_MS;
    while (left.length > 0 && performance.now() < killUntil) {
      for (const one of left) killed.add(`${one.pid}-${one.start}`);
      signal(left, 'SIGKILL');
      left = await this.#untilGone(upstream.token, POLL_MS * 2);
    }
    if (left.length > 0)
      log.error('processes of a dead shim do not end', { shim: upstream.shimId, count: left.length });
    // A call that it had asked for may have been decided after it was gone.
    await this.#closeCalls(upstream);
    await this.#recordEnd(upstream, killed.size);
    upstreams.remove(upstream.token);
    log.info('reaped what a dead shim left', { shim: upstream.shimId, processes: killed.size });
  }

  async #untilGone(token: string, deadlineMs: number): Promise<ProcessIdentity[]> {
    const until = performance.now() + deadlineMs;
    let left = await this.#scan.processesWith(token);
    while (left.length > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      left = await this.#scan.processesWith(token);
    }
    return left;
  }

  /** Calls that the dead shim had under way: nobody will report their end. */
  async #closeCalls(upstream: Upstream): Promise<void> {
    const run = this.#parts.registry.live(upstream.runId);
    if (run === undefined) return;
    await closeShimCalls(
      this.#parts,
      run,
      upstream.shimId,
      'the shim ended before the end of the call was reported',
    );
  }

  async #recordEnd(upstream: Upstream, processes: number): Promise<void> {
    const { registry, recorder, clock, log } = this.#parts;
    const live = registry.live(upstream.runId) !== undefined;
    const result = await recorder.append({
      entries: [
        {
          type: 'upstream_end',
          ts: clock(),
          // Nothing may follow the end of a run: then this is an entry of the gateway, which names the run.
          runId: live ? upstream.runId : null,
          ref: live ? upstream.beginSeq : null,
          data: {
            shim_id: upstream.shimId,
            token_hash: sha256Hex(upstream.token),
            cause: 'reaped',
            of_run: upstream.runId,
            processes,
            exit_code: null,
            signal: null,
          },
        },
      ],
    });
    if (!result.ok) log.info('the end of an upstream was recorded before', { shim: upstream.shimId });
  }
}

function signal(processes: readonly ProcessIdentity[], name: 'SIGTERM' | 'SIGKILL'): void {
  for (const { pid, start } of processes) {
    // Its number may belong to another process by now.
    if (!isAlive({ pid, start })) continue;
    try {
      process.kill(pid, name);
    } catch (error) {
      // ESRCH: it ended between the look and the signal.
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}

import { isAlive } from '@subluminal/ipc';
import { errorText, type Logger } from '../base/logger.js';
import type { RunLifecycle } from '../runs/lifecycle.js';
import type { RunRegistry } from '../runs/registry.js';
import type { Reaper } from './reaper.js';
import { startTicking } from '../base/ticking.js';
import type { Lifecycle } from '../base/lifecycle.js';

/** How often processes are looked at. */
const INTERVAL_MS = 1000;

/**
 * Looks every second at the processes that runs and upstreams belong to. A run whose holder is gone ends: at
 * once when no connection of it is left, else one look later, so that its shims can still report how their
 * calls ended.
 */
export class ProcessWatch implements Lifecycle {
  readonly name = 'processes';
  readonly #registry: RunRegistry;
  readonly #lifecycle: RunLifecycle;
  readonly #reaper: Reaper;
  readonly #orphaned = new Set<string>();
  readonly #log: Logger;
  #stop: () => void = () => undefined;

  constructor(parts: {
    readonly registry: RunRegistry;
    readonly lifecycle: RunLifecycle;
    readonly reaper: Reaper;
    readonly log: Logger;
  }) {
    this.#registry = parts.registry;
    this.#lifecycle = parts.lifecycle;
    this.#reaper = parts.reaper;
    this.#log = parts.log;
  }

  start(intervalMs: number = INTERVAL_MS): void {
    const failed = (error: unknown): void =>
      this.#log.error('processes could not be looked at', { error: errorText(error) });
    this.#stop = startTicking(intervalMs, failed, () => this.look());
    this.look();
  }

  stop(): void {
    this.#stop();
  }

  /** One look. */
  look(): void {
    const before = new Set(this.#orphaned);
    this.#orphaned.clear();
    for (const run of this.#registry.all()) {
      if (run.state === 'live' && isAlive(run.holder)) continue;
      if (run.state === 'live' && run.sessions.size > 0 && !before.has(run.id)) {
        this.#orphaned.add(run.id);
        continue;
      }
      // The holder of the operator key ends the run that it opened with a status; an unattested one just ends
      // with its client.
      const status = run.attested ? 'CANCELLED' : 'SUCCEEDED';
      this.#lifecycle.endSoon(run, { status, cause: 'holder_gone' });
    }
    this.#reaper.sweep();
  }
}

import { watchParent } from './parent.js';
import type { EndCause } from './shutdown.js';
import type { Upstream } from './upstream.js';

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Waits for the first of the reasons why a session ends. Signals that come later are still handed on. */
export class Endings {
  readonly first: Promise<EndCause>;
  #resolve: (cause: EndCause) => void = () => undefined;
  #ended = false;
  readonly #upstream: Upstream;
  readonly #parent: { stop: () => void };
  readonly #handlers: { readonly signal: NodeJS.Signals; readonly handler: () => void }[];

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.first = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#parent = watchParent(() => this.end({ kind: 'client gone' }));
    this.#handlers = FORWARDED.map((signal) => ({ signal, handler: () => this.#onSignal(signal) }));
    for (const { signal, handler } of this.#handlers) process.on(signal, handler);
    void upstream.exited.then(() => this.end({ kind: 'server ended' }));
  }

  /** Gives a reason; only the first counts. */
  end(cause: EndCause): void {
    this.#ended = true;
    this.#resolve(cause);
  }

  /** Takes signals and the parent out of watch. */
  release(): void {
    this.#parent.stop();
    for (const { signal, handler } of this.#handlers) process.off(signal, handler);
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#ended) this.#upstream.signalGroup(signal);
    else this.end({ kind: 'signal', signal });
  }
}

import { watchParent } from './parent.js';
import type { EndCause } from './shutdown.js';
import type { Upstream } from './upstream.js';

/** A server that closed a pipe ends, as a rule, in the next moment; then its own end is the reason. */
const DEAF_AFTER_MS = 1000;

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Waits for the first of the reasons why a session ends. Signals that come later are still handed on. */
export class Endings {
  readonly first: Promise<EndCause>;
  #deaf: NodeJS.Timeout | undefined;
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
    // Without one of its pipes it can answer nothing any more: its client would wait for good.
    upstream.stdout.once('end', () => this.#onDeaf());
    upstream.stdin.once('error', () => this.#onDeaf());
  }

  /** Gives a reason; only the first counts. */
  end(cause: EndCause): void {
    this.#ended = true;
    this.#resolve(cause);
  }

  /** Takes signals and the parent out of watch. */
  release(): void {
    clearTimeout(this.#deaf);
    this.#parent.stop();
    for (const { signal, handler } of this.#handlers) process.off(signal, handler);
  }

  #onDeaf(): void {
    this.#upstream.stdin.end();
    this.#deaf ??= setTimeout(() => this.end({ kind: 'server deaf' }), DEAF_AFTER_MS);
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#ended) this.#upstream.signalGroup(signal);
    else this.end({ kind: 'signal', signal });
  }
}

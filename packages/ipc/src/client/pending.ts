import { type ActionResponse, SublError } from '@subluminal/core-types';

/** One request that waits to be sent or answered. */
export class PendingRequest {
  readonly id: string;
  readonly action: string;
  readonly payloadCanonical: string;
  /** Set when the request is sent: the answer's signature covers it. */
  mac = '';
  readonly #resolve: (answer: ActionResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  #settled = false;

  constructor(fields: {
    readonly id: string;
    readonly action: string;
    readonly payloadCanonical: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly resolve: (answer: ActionResponse) => void;
    readonly reject: (error: Error) => void;
  }) {
    this.id = fields.id;
    this.action = fields.action;
    this.payloadCanonical = fields.payloadCanonical;
    this.#resolve = fields.resolve;
    this.#reject = fields.reject;
    this.#signal = fields.signal;
    this.#timer = setTimeout(() => this.#expire(fields.timeoutMs), fields.timeoutMs);
    this.#signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Nobody waits any more. A sent request still keeps its place, because its answer will come. */
  get settled(): boolean {
    return this.#settled;
  }

  resolve(answer: ActionResponse): void {
    if (this.#settle()) this.#resolve(answer);
  }

  reject(error: Error): void {
    if (this.#settle()) this.#reject(error);
  }

  readonly #abort = (): void => {
    this.reject(new SublError('timed_out', `the request \`${this.action}\` was given up`));
  };

  #expire(timeoutMs: number): void {
    this.reject(
      new SublError('timed_out', `the gateway did not answer \`${this.action}\` within ${timeoutMs} ms`),
    );
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
    return true;
  }
}

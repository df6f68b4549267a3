import { type ActionResponse, SublError } from '@subluminal/core-types';

/** One request that waits to be sent or answered. */
export class PendingRequest {
  readonly id: string;
  readonly action: string;
  readonly payloadCanonical: string;
  readonly timeoutMs: number;
  /** When it is given up, on the clock of the connection. */
  readonly expiresAt: number;
  /** Set when the request is sent: the answer's signature covers it. */
  mac = '';
  readonly #resolve: (answer: ActionResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: AbortSignal | undefined;
  #onAbort: (() => void) | undefined;
  #settled = false;

  constructor(fields: {
    readonly id: string;
    readonly action: string;
    readonly payloadCanonical: string;
    readonly timeoutMs: number;
    readonly expiresAt: number;
    readonly signal: AbortSignal | undefined;
    readonly resolve: (answer: ActionResponse) => void;
    readonly reject: (error: Error) => void;
  }) {
    this.id = fields.id;
    this.action = fields.action;
    this.payloadCanonical = fields.payloadCanonical;
    this.timeoutMs = fields.timeoutMs;
    this.expiresAt = fields.expiresAt;
    this.#resolve = fields.resolve;
    this.#reject = fields.reject;
    this.#signal = fields.signal;
    if (this.#signal === undefined) return;
    this.#onAbort = () => {
      this.reject(new SublError('timed_out', `the request \`${this.action}\` was given up`));
    };
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
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

  /** The time is up. */
  expire(): void {
    const text = `the gateway did not answer \`${this.action}\` within ${this.timeoutMs} ms`;
    this.reject(new SublError('timed_out', text));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

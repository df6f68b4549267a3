import { type HiddenValue, SublError } from '@subluminal/core-types';
import {
  type CheckedDestination,
  type Dialer,
  exchange,
  exchangeOnce,
  type HttpRequest,
  type HttpResponse,
} from '@subluminal/egress';
import type { ServiceCall } from '../action/service-adapter.js';
import { hiddenBody } from './hidden-body.js';

/** One request of a conversation. */
export interface Said {
  readonly method: HttpRequest['method'];
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The answer comes unmasked: the caller writes it back, and tells nobody of it. */
  readonly whole?: boolean;
}

/** Requests of one action, so that no answer can keep it going. */
const MAX_REQUESTS = 64;

/**
 * The requests of one action to the one origin that was decided on. Together they have the time and the bytes
 * of one request: an answer that makes the adapter ask again gains nothing by it. Answers come without the
 * values of `hidden`. Every request carries the account's credentials, and there is no other place that they
 * could go to.
 */
export class Conversation {
  readonly #dialer: Pick<Dialer, 'connect'>;
  readonly #call: Pick<ServiceCall, 'signal' | 'limits'>;
  readonly #checked: CheckedDestination;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hidden: readonly HiddenValue[];
  readonly #end: number;
  #bytesLeft: number;
  #requests = 0;

  constructor(
    dialer: Pick<Dialer, 'connect'>,
    checked: CheckedDestination,
    call: Pick<ServiceCall, 'signal' | 'limits'>,
    headers: Readonly<Record<string, string>>,
    hidden: readonly HiddenValue[] = [],
  ) {
    this.#dialer = dialer;
    this.#checked = checked;
    this.#call = call;
    this.#headers = headers;
    this.#hidden = hidden;
    this.#end = performance.now() + call.limits.timeoutMs;
    this.#bytesLeft = call.limits.maxResponseBytes;
  }

  get origin(): string {
    return this.#checked.origin;
  }

  /** One request and its answer. Throws as `exchange` does. */
  send(said: Said): Promise<HttpResponse> {
    return this.#send(said, exchange);
  }

  /**
   * One request with an effect, sent once: where it may have had it and no answer came, the error is
   * `in_doubt`.
   */
  sendOnce(said: Said): Promise<HttpResponse> {
    return this.#send(said, exchangeOnce);
  }

  /**
   * The path and query that a server names, where it is on this origin.
   *
   * @throws SublError `adapter_failed` for every other place: the credentials are for this one.
   */
  targetOf(href: string, base: string): string {
    const whole = new URL(base, this.origin);
    const url = href.length <= 8192 && URL.canParse(href, whole.href) ? new URL(href, whole) : undefined;
    const own = url !== undefined && url.username === '' && url.password === '';
    if (!own || url.origin !== new URL(this.origin).origin) {
      const where = url === undefined ? '' : `, \`${url.origin.slice(0, 300)}\``;
      throw new SublError(
        'adapter_failed',
        `\`${this.origin}\` leads to a place that is not its own${where}`,
        {
          help: 'nothing was asked there; give the account that address if it is the right one',
        },
      );
    }
    return `${url.pathname}${url.search}`;
  }

  async #send(said: Said, ask: typeof exchange): Promise<HttpResponse> {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS)
      throw new SublError('adapter_failed', `\`${this.origin}\` would have to be asked too often`);
    const timeoutMs = Math.ceil(this.#end - performance.now());
    if (timeoutMs <= 0) {
      const all = this.#call.limits.timeoutMs;
      throw new SublError('timed_out', `\`${this.origin}\` did not answer completely within ${all} ms`);
    }
    const answer = await ask(
      this.#dialer,
      this.#checked,
      {
        method: said.method,
        target: said.target,
        headers: {
          'accept-encoding': 'identity',
          'user-agent': 'subluminal',
          ...said.headers,
          ...this.#headers,
        },
        body: said.body === undefined ? undefined : Buffer.from(said.body, 'utf8'),
      },
      { timeoutMs, maxResponseBytes: this.#bytesLeft },
      this.#call.signal,
    );
    this.#bytesLeft -= answer.body.byteLength;
    // Before anything cuts it: half of a secret would not be found any more.
    return said.whole === true ? answer : ((await hiddenBody(answer, this.#hidden)) ?? answer);
  }
}

/** The header of RFC 7617. Throws `adapter_failed` for a user name that cannot stand in it. */
export function basicAuthorization(user: string, password: string): string {
  if (user.includes(':')) throw new SublError('adapter_failed', 'a user name with a colon cannot be sent');
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}

/** The header of RFC 6750. Throws `adapter_failed` for what is no token. */
export function bearerAuthorization(token: string): string {
  if (!/^[!-~]+$/.test(token))
    throw new SublError(
      'adapter_failed',
      'the token of the account has a character that a header cannot have',
      {
        help: 'remove the account and add it again',
      },
    );
  return `Bearer ${token}`;
}

import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { LiveSecret } from '@subluminal/gateway';
import type { CarriageEnd, Carried } from '../carry/carriage.js';
import { Denial } from '../denial.js';
import { denyHttp, TLS_ALERT } from '../deny.js';
import { farewell } from '../carry/farewell.js';
import { FirstBytes } from '../judge/first-bytes.js';
import type { TurnBytes } from '../carry/turn-bytes.js';
import { Exchange } from './exchange.js';
import type { DecidedPlace } from './judge-request.js';
import { Metered } from './metered.js';
import type { Sought } from './conceal.js';
import { SecretTexts } from './secret-texts.js';

export interface InspectionParts {
  readonly client: Socket;
  /** The secure connection to the server, whose certificate is good for the place. */
  readonly server: Socket;
  readonly place: DecidedPlace;
  readonly live: readonly LiveSecret[];
  /** They, in all the ways in which they may come back. */
  readonly sought: Sought;
  /** With a certificate for exactly the place. */
  readonly context: SecureContext;
  readonly share: TurnBytes;
  /** Counts bytes of the run. Throws `Denial` `budget_spent`. */
  readonly spend: (bytes: number) => number;
  readonly monotonic: () => number;
  /** How long the client may take to say what the connection is for. */
  readonly firstMs: number;
  readonly lingerMs: number;
  readonly maxHeadBytes: number;
}

/** How many requests there were, and in how many of them the secret of each variable was put in. */
export interface InjectTally {
  readonly requests: number;
  readonly injected: readonly { readonly inject_as: string; readonly requests: number }[];
}

/**
 * A connection on which secrets are put in: the client's TLS ends here, with a certificate for the one name
 * that was decided on, and what it asks for goes on over a TLS of our own, which was verified for that name.
 * Bytes are counted as they are inside of TLS.
 */
export class Inspection implements Carried {
  readonly #parts: InspectionParts;
  readonly #first: FirstBytes;
  readonly #pieces: Buffer[] = [];
  readonly #counts = new Map<string, number>();
  #requests = 0;
  #bytesUp = 0;
  #bytesDown = 0;
  #movedAt: number;
  #end: CarriageEnd | undefined;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (end: CarriageEnd) => void = () => undefined;
  readonly over: Promise<CarriageEnd>;
  readonly #onData = (chunk: Buffer): void => this.#hear(chunk);
  readonly #onEnd = (): void =>
    this.#finish({ outcome: 'closed', detail: 'the client left before it said what it is for' });

  constructor(parts: InspectionParts) {
    this.#parts = parts;
    const { client, server, place, live, monotonic } = parts;
    this.#first = new FirstBytes({ ...place, tls: true, plain: false, raw: false, strict: false });
    this.#movedAt = monotonic();
    for (const { injectAs } of live) this.#counts.set(injectAs, 0);
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    let open = 2;
    const closed = (other: Socket) => (): void => {
      open -= 1;
      if (open === 0) this.#resolve(this.#end ?? { outcome: 'closed' });
      else if (other === server) other.destroy();
    };
    server.on('error', () => undefined);
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      if (side.closed) closed(other)();
      else side.once('close', closed(other));
    }
  }

  get bytesUp(): number {
    return this.#bytesUp;
  }

  get bytesDown(): number {
    return this.#bytesDown;
  }

  get movedAt(): number {
    return this.#movedAt;
  }

  /** What the client's handshake says. */
  get hello(): Pick<FirstBytes, 'sni' | 'isEncrypted'> {
    return this.#first;
  }

  get tally(): InjectTally {
    const injected = [...this.#counts].map(([inject_as, requests]) => ({ inject_as, requests }));
    return { requests: this.#requests, injected };
  }

  /** Begins to listen to the client, with what was read already. */
  start(first?: Buffer): void {
    const { client, firstMs } = this.#parts;
    this.#timer = setTimeout(() => {
      const denial = new Denial('timed_out', 'the client did not say what the connection is for');
      this.#refuse('timed_out', denial, undefined);
    }, firstMs);
    client.on('data', this.#onData);
    client.once('end', this.#onEnd);
    if (first !== undefined) this.#hear(first);
    if (this.#end !== undefined || this.#first.isJudged) return;
    if (client.readableEnded) this.#onEnd();
    else client.resume();
  }

  cut(end: CarriageEnd): void {
    this.#conclude(end);
    this.#parts.server.destroy();
    this.#parts.client.destroy();
  }

  #hear(chunk: Buffer): void {
    this.#pieces.push(chunk);
    try {
      this.#first.push(chunk);
    } catch (error) {
      this.#refuse('refused', Denial.of(error), this.#first.isTls ? TLS_ALERT : denyHttp(Denial.of(error)));
      return;
    }
    if (this.#first.isJudged) this.#terminate();
  }

  /** The client's TLS ends here. */
  #terminate(): void {
    this.#stopListening();
    const { client, server, context, place, live, sought, maxHeadBytes, share } = this.#parts;
    client.pause();
    client.unshift(Buffer.concat(this.#pieces.splice(0)));
    const secure = new TLSSocket(client, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      requestCert: false,
    });
    let isSecure = false;
    secure.on('error', () => {
      if (isSecure) secure.destroy();
      else
        this.cut({
          outcome: 'failed',
          code: 'adapter_failed',
          detail:
            'the client did not go through with the handshake: does it trust what the variables of its environment name?',
        });
    });
    const metered = new Metered({ inner: server, spend: (up, down) => this.#moved(up, down), share });
    metered.on('error', (error) => {
      if (error instanceof Denial) this.cut({ outcome: 'budget', code: error.code, detail: error.message });
      else
        this.cut({
          outcome: 'failed',
          code: 'adapter_failed',
          detail: 'the server broke the connection off',
        });
    });
    // A server that has ended what it says answers nothing more.
    metered.once('close', () => secure.end());
    secure.once('close', () => server.destroy());
    const exchange = new Exchange({
      place,
      secrets: new SecretTexts(live, sought),
      server: metered,
      maxHeadBytes,
      onRequest: (injected) => {
        this.#requests += 1;
        for (const name of injected) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      },
      onFault: ({ code, message }) => {
        this.#end ??= { outcome: code === 'adapter_failed' ? 'failed' : 'refused', code, detail: message };
        if (code === 'overloaded') this.cut(this.#end);
      },
    });
    secure.once('secure', () => {
      isSecure = true;
      clearTimeout(this.#timer);
      exchange.serve(secure);
    });
  }

  #moved(up: number, down: number): number {
    const waitMs = this.#parts.spend(up + down);
    this.#bytesUp += up;
    this.#bytesDown += down;
    this.#movedAt = this.#parts.monotonic();
    return waitMs;
  }

  #refuse(outcome: 'refused' | 'timed_out', denial: Denial, last: Buffer | undefined): void {
    this.#finish({ outcome, code: denial.code, detail: denial.message }, last);
  }

  #finish(end: CarriageEnd, last?: Buffer): void {
    this.#conclude(end);
    const { client, server, lingerMs } = this.#parts;
    server.destroy();
    farewell(client, last, lingerMs);
  }

  #conclude(end: CarriageEnd): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  #stopListening(): void {
    this.#parts.client.off('data', this.#onData);
    this.#parts.client.off('end', this.#onEnd);
  }
}

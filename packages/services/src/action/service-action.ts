import {
  ADAPTER_ACTIONS,
  canonicalize,
  isSublError,
  SublError,
  type AdapterAction,
  type ErrorCode,
  type GatewayConfig,
  type JsonObject,
  type JsonValue,
  type PayloadOf,
} from '@subluminal/core-types';
import type { CheckedDestination, Destination } from '@subluminal/egress';
import type { EntryInput } from '@subluminal/ledger';
import {
  type ActionOf,
  type Allowed,
  type AnomalyFlag,
  type Call,
  type Clock,
  type Decided,
  type Detector,
  type Executed,
  type HoldParts,
  type Logger,
  type Outcome,
  type Passed,
  type RateLimiter,
  type RecordedSteps,
  type Refusal,
  type Sends,
  type SettleParts,
  advised,
  anomalyEntry,
  decidedData,
  errorText,
  listed,
  pendingEntry,
  refuseFor,
  settle,
  shownOrigin,
  stillHolds,
} from '@subluminal/gateway';
import { readOf, sendOf } from './effects.js';
import type { ServicePlaces } from './places.js';
import {
  failureOf,
  type Attempt,
  type ServiceAdapter,
  type ServiceAdapters,
  type ServiceOutcome,
} from './service-adapter.js';

export interface ServiceParts extends SettleParts, HoldParts {
  readonly allowlist: Pick<Allowed, 'find' | 'generation'>;
  readonly adapters: ServiceAdapters;
  readonly limiter: RateLimiter;
  readonly places: ServicePlaces;
  readonly detector: Pick<Detector, 'inspect' | 'confirm' | 'read'>;
  readonly egress: () => Pick<GatewayConfig['egress'], 'timeout_ms' | 'max_response_bytes' | 'max_redirects'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Every action that an adapter executes on a service outside. */
export type ServiceActions = { readonly [A in AdapterAction]: ActionOf<A> };

export function serviceActions(parts: ServiceParts): ServiceActions {
  // The object has one member for each name of the list that the type is made of.
  return Object.fromEntries(
    ADAPTER_ACTIONS.map((action) => [action, actionOf(parts, action)]),
  ) as ServiceActions;
}

function actionOf<A extends AdapterAction>(parts: ServiceParts, action: A): ActionOf<A> {
  const adapter: ServiceAdapter<PayloadOf<A>> = parts.adapters[action];
  return (call, payload) => new ServiceAction(parts, call, { action, adapter }, payload);
}

/** The decision about an attempt. They belong together: no other attempt is carried out under it. */
interface Judged<P> {
  readonly attempt: Attempt<P>;
  readonly decided: Decided;
}

/** One action on a service. A redirect makes it another request of the same action, decided anew. */
class ServiceAction<P> implements RecordedSteps {
  readonly whenStopped = 'refused';
  readonly whenFull = 'refused';
  readonly result = 'now';
  readonly #parts: ServiceParts;
  readonly #call: Call;
  readonly #action: AdapterAction;
  readonly #adapter: ServiceAdapter<P>;
  /** The requests that were redirected to this one, the first of them first. */
  readonly #redirectedFrom: P[] = [];
  #payload: P;
  #wanted: Destination | undefined;
  #judged: Judged<P> | undefined;
  #countedMs: number;
  #hasPlace = false;
  #outcome: ServiceOutcome<P> | undefined;

  constructor(
    parts: ServiceParts,
    call: Call,
    { action, adapter }: { readonly action: AdapterAction; readonly adapter: ServiceAdapter<P> },
    payload: P,
  ) {
    this.#parts = parts;
    this.#call = call;
    this.#action = action;
    this.#adapter = adapter;
    this.#payload = payload;
    this.#countedMs = call.now;
  }

  async decide(): Promise<Passed | Refusal> {
    try {
      this.#judged = await this.#judge();
      return 'pass';
    } catch (error) {
      if (isSublError(error)) return refuseFor(advised(error, this.#call.caller, this.#wanted));
      throw error;
    }
  }

  admit(): Passed | Refusal | Promise<Passed> {
    const { limiter, places, clock } = this.#parts;
    const verdict = limiter.take(this.#action);
    if (!verdict.ok) return limited(this.#action, verdict);
    this.#countedMs = clock();
    // A redirect goes on with the place of the request that was redirected.
    if (this.#hasPlace) return 'pass';
    this.#hasPlace = true;
    return places.take(this.#call);
  }

  unusual(): readonly AnomalyFlag[] {
    const { caller } = this.#call;
    return this.#parts.detector.inspect({
      client: caller.source,
      run: caller.run,
      action: this.#action,
      destination: this.#destination,
      payloadBytes: this.#payloadBytes,
      sends: this.#sends,
    });
  }

  readonly record = (): readonly EntryInput[] => [
    ...this.#call.flags.map((flag) => anomalyEntry(this.#call, flag)),
    pendingEntry(this.#call, this.#countedMs, {
      ...decidedData(this.#judged?.decided),
      ...accountData(this.#judged?.attempt),
    }),
  ];

  recorded(): void {
    this.#parts.detector.confirm({
      run: this.#call.caller.run,
      destination: this.#destination,
      flags: this.#call.flags,
      payloadBytes: this.#payloadBytes,
      sends: this.#sends,
    });
  }

  async execute(): Promise<Executed> {
    const judged = this.#judged;
    if (judged === undefined || !stillHolds(this.#parts, judged.decided)) return 'again';
    this.#outcome = await this.#serve(judged);
    return this.#answer(this.#outcome);
  }

  concluded({ status }: Outcome): Passed | 'again' {
    const outcome = this.#outcome;
    if (status !== 'success' || outcome === undefined) return 'pass';
    this.#noteRead(outcome);
    if (outcome.kind !== 'redirect') return 'pass';
    // A payload is what its schema reads of JSON.
    const next = outcome.next as JsonObject;
    this.#redirectedFrom.push(this.#payload);
    this.#payload = outcome.next;
    this.#wanted = undefined;
    this.#judged = undefined;
    this.#outcome = undefined;
    this.#call.redirect(next, canonicalize(next));
    return 'again';
  }

  get place(): string | undefined {
    return this.#destination?.origin;
  }

  about(): JsonObject {
    return this.#wanted === undefined ? {} : { destination: shownOrigin(this.#wanted) };
  }

  async #judge(): Promise<Judged<P>> {
    const parts = this.#parts;
    const call = this.#call;
    const { generation } = parts.allowlist;
    // A decision that is made again has the time that is left; a redirect is an action of its own.
    const timeoutMs = this.#judged?.decided.leftMs ?? parts.egress().timeout_ms;
    const attempt = this.#adapter.prepare(this.#payload, this.#redirectedFrom);
    const { destination: wanted } = attempt;
    this.#wanted = wanted;
    const before = call.pendingSeq === undefined ? undefined : this.#judged;
    if (before !== undefined) assertSame(before.attempt, attempt);
    if (wanted === undefined)
      return { attempt, decided: { destination: undefined, generation, leftMs: timeoutMs } };
    const { allow_private: allowPrivate } = listed(parts.allowlist, wanted, call.caller);
    const settling = { wanted, allowPrivate, timeoutMs, before: before?.decided };
    return { attempt, decided: await settle(parts, call, generation, settling) };
  }

  async #serve({ attempt, decided: { destination, leftMs } }: Judged<P>): Promise<ServiceOutcome<P>> {
    const { runId, requestId, signal } = this.#call;
    const limits = { timeoutMs: leftMs, maxResponseBytes: this.#parts.egress().max_response_bytes };
    try {
      return await attempt.execute({ runId, requestId, destination, signal, limits });
    } catch (error) {
      // An adapter throws only for its own mistakes; whether it had an effect is not known.
      this.#parts.log.error('an adapter threw', { action: this.#action, error: errorText(error) });
      return failureOf(isSublError(error) ? error : new SublError('adapter_failed', 'the adapter failed'));
    }
  }

  get #destination(): CheckedDestination | undefined {
    return this.#judged?.decided.destination;
  }

  #answer(outcome: ServiceOutcome<P>): Outcome {
    switch (outcome.kind) {
      case 'success':
        return { status: 'success', data: outcome.data, facts: sizeFacts(outcome.data) };
      case 'error': {
        const { code, message, help, data } = outcome;
        const error = { code, message, ...(help === undefined ? {} : { help }) };
        return { status: 'error', error, ...(data === undefined ? {} : { data, facts: sizeFacts(data) }) };
      }
      case 'redirect': {
        const { max_redirects: most } = this.#parts.egress();
        const data = { status: outcome.status };
        if (this.#call.hops < most) return { status: 'success', data, facts: sizeFacts(data) };
        const message = `the service redirected more than ${most} times`;
        return { status: 'error', error: { code: 'too_many_redirects', message } };
      }
    }
  }

  /** Notes that a run has read data, which it may send on. */
  #noteRead({ kind }: ServiceOutcome<P>): void {
    const action = this.#action;
    const { run } = this.#call.caller;
    const what = kind === 'success' ? readOf(action) : undefined;
    if (run === undefined || what === undefined) return;
    const place = this.#destination?.host;
    // Mail and calendars hold others' words, wherever they lie.
    const isMailbox = what.private;
    const named = isMailbox || place === undefined ? action : `${action} of \`${place}\``;
    const ref = this.#call.auditRef;
    this.#parts.detector.read(run, { ...what, what: named, place: isMailbox ? undefined : place, ref });
  }

  get #payloadBytes(): number {
    return Buffer.byteLength(this.#call.read.payloadCanonical);
  }

  get #sends(): Sends | undefined {
    return sendOf({
      action: this.#action,
      payload: this.#payload,
      length: this.#call.read.payloadCanonical.length,
      host: this.#destination?.host,
    });
  }
}

/** The entry of a request that is decided again already names where it goes and whose secret it gets. */
function assertSame(before: Attempt<unknown>, { destination, accountName }: Attempt<unknown>): void {
  if (before.destination?.origin === destination?.origin && before.accountName === accountName) return;
  const place = destination === undefined ? 'this' : `\`${destination.origin}\``;
  throw new SublError('not_allowed', `${place} is not what was decided on`);
}

/** The account as the entry of the pending action names it. */
function accountData(attempt: Attempt<unknown> | undefined): JsonObject {
  return attempt?.accountName === undefined ? {} : { account: attempt.accountName };
}

function limited(
  action: AdapterAction,
  { scope, retryAfterMs }: { readonly scope: string; readonly retryAfterMs: number },
): Refusal {
  const code: ErrorCode = 'rate_limited';
  const which = scope === 'global' ? 'all actions together' : `\`${action}\``;
  const message = `the limit for ${which} is reached; try again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return { status: code, error: { code, message, details: { retry_after_ms: retryAfterMs, scope } } };
}

/** The status and size of a service's answer: nothing else of it is recorded. */
function sizeFacts(data: JsonObject): JsonObject {
  const facts: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if ((key === 'status' || key === 'bytes') && typeof value === 'number') facts[`service_${key}`] = value;
  }
  return facts;
}

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
} from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import type { EntryInput } from '@subluminal/ledger';
import type { Allowlist } from '../../allowlist/allowlist.js';
import type { AnomalyDetector } from '../../anomaly/detector.js';
import type { AnomalyFlag } from '../../anomaly/flag.js';
import type { Sends } from '../../anomaly/untrusted-read.js';
import type { Clock } from '../../base/clock.js';
import { errorText, type Logger } from '../../base/logger.js';
import type { RateLimiter } from '../../pace/rate-limiter.js';
import type { Call } from '../../pipeline/call.js';
import { anomalyEntry, pendingEntry } from '../../pipeline/entries.js';
import { refuseFor, type Outcome, type Refusal } from '../../pipeline/reply.js';
import type { Executed, Passed, RecordedSteps } from '../../pipeline/steps.js';
import { advised, listed } from '../listed.js';
import {
  decidedData,
  settle,
  shownOrigin,
  stillHolds,
  type Decided,
  type HoldParts,
  type SettleParts,
} from '../settle.js';
import { readOf, sendOf } from './effects.js';
import type { ServicePlaces } from './places.js';
import type { ServiceRegistry } from './registry.js';
import type { ServiceAdapter, ServiceOutcome } from './service-adapter.js';

export interface ServiceParts extends SettleParts, HoldParts {
  readonly allowlist: Pick<Allowlist, 'find' | 'generation'>;
  readonly services: ServiceRegistry;
  readonly limiter: RateLimiter;
  readonly places: ServicePlaces;
  readonly detector: Pick<AnomalyDetector, 'inspect' | 'confirm' | 'read'>;
  readonly egress: () => Pick<GatewayConfig['egress'], 'timeout_ms' | 'max_response_bytes' | 'max_redirects'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The beginning of an action on a service, whichever it is. */
type Begin = (call: Call) => RecordedSteps;

/** Every action that an adapter executes on a service outside (gateway isolation spec §1). */
export function serviceActions(parts: ServiceParts): Readonly<Record<AdapterAction, Begin>> {
  const begin =
    (name: AdapterAction): Begin =>
    (call) =>
      new ServiceAction(parts, call, parts.services.adapterFor(name));
  return Object.fromEntries(ADAPTER_ACTIONS.map((name) => [name, begin(name)])) as Record<
    AdapterAction,
    Begin
  >;
}

/** One action on a service. A redirect makes it another request of the same action, decided anew. */
class ServiceAction implements RecordedSteps {
  readonly whenStopped = 'refused';
  readonly whenFull = 'refused';
  readonly result = 'now';
  readonly #parts: ServiceParts;
  readonly #call: Call;
  readonly #adapter: ServiceAdapter;
  /** The requests that were redirected to this one, the first of them first. */
  readonly #redirectedFrom: JsonObject[] = [];
  #payload: JsonObject;
  #wanted: Destination | undefined;
  /** The account whose secret it gets, by name. */
  #accountName: string | undefined;
  #decided: Decided | undefined;
  #countedMs: number;
  #hasPlace = false;
  #outcome: ServiceOutcome | undefined;

  constructor(parts: ServiceParts, call: Call, adapter: ServiceAdapter) {
    this.#parts = parts;
    this.#call = call;
    this.#adapter = adapter;
    this.#payload = call.read.payload;
    this.#countedMs = call.now;
  }

  async decide(): Promise<Passed | Refusal> {
    try {
      this.#decided = await this.#decide();
      return 'pass';
    } catch (error) {
      if (isSublError(error)) return refuseFor(advised(error, this.#call.caller, this.#wanted));
      throw error;
    }
  }

  admit(): Passed | Refusal | Promise<Passed> {
    const { limiter, places, clock } = this.#parts;
    const { action } = this.#adapter;
    const verdict = limiter.take(action);
    if (!verdict.ok) return limited(action, verdict);
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
      action: this.#adapter.action,
      destination: this.#decided?.destination,
      payloadBytes: this.#payloadBytes,
      sends: this.#sends,
    });
  }

  readonly record = (): readonly EntryInput[] => [
    ...this.#call.flags.map((flag) => anomalyEntry(this.#call, flag)),
    pendingEntry(this.#call, this.#countedMs, {
      ...decidedData(this.#decided),
      ...(this.#accountName === undefined ? {} : { account: this.#accountName }),
    }),
  ];

  recorded(): void {
    this.#parts.detector.confirm({
      run: this.#call.caller.run,
      destination: this.#decided?.destination,
      flags: this.#call.flags,
      payloadBytes: this.#payloadBytes,
      sends: this.#sends,
    });
  }

  async execute(): Promise<Executed> {
    const decided = this.#decided;
    if (decided === undefined || !stillHolds(this.#parts, decided)) return 'again';
    this.#outcome = await this.#serve(decided);
    return this.#answer(this.#outcome);
  }

  concluded({ status }: Outcome): Passed | 'again' {
    const outcome = this.#outcome;
    if (status !== 'success' || outcome === undefined) return 'pass';
    this.#noteRead(outcome);
    if (outcome.kind !== 'redirect') return 'pass';
    this.#redirectedFrom.push(this.#payload);
    this.#payload = outcome.next;
    this.#wanted = undefined;
    this.#decided = undefined;
    this.#outcome = undefined;
    this.#call.redirect(outcome.next, canonicalize(outcome.next));
    return 'again';
  }

  get place(): string | undefined {
    return this.#decided?.destination?.origin;
  }

  about(): JsonObject {
    return this.#wanted === undefined ? {} : { destination: shownOrigin(this.#wanted) };
  }

  async #decide(): Promise<Decided> {
    const parts = this.#parts;
    const call = this.#call;
    const { generation } = parts.allowlist;
    // A decision that is made again has the time that is left; a redirect is an action of its own.
    const timeoutMs = this.#decided?.leftMs ?? parts.egress().timeout_ms;
    const wanted = this.#adapter.destination(this.#payload);
    if (wanted === undefined) return { destination: undefined, generation, leftMs: timeoutMs };
    this.#wanted = wanted;
    const accountName = this.#adapter.accountName?.(this.#payload, this.#redirectedFrom);
    const before = call.pendingSeq === undefined ? undefined : this.#decided;
    // A request that is decided again has its entry already, which names where it goes.
    const isOther = before?.destination?.origin !== wanted.origin || this.#accountName !== accountName;
    if (before?.destination !== undefined && isOther)
      throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
    this.#accountName = accountName;
    const { allow_private: allowPrivate } = listed(parts.allowlist, wanted, call.caller);
    return await settle(parts, call, generation, { wanted, allowPrivate, timeoutMs, before });
  }

  async #serve({ destination, leftMs }: Decided): Promise<ServiceOutcome> {
    const { runId, requestId, signal } = this.#call;
    const { action } = this.#adapter;
    try {
      return await this.#adapter.execute({
        payload: this.#payload,
        runId,
        requestId,
        redirectedFrom: this.#redirectedFrom,
        accountName: this.#accountName,
        destination,
        signal,
        limits: { timeoutMs: leftMs, maxResponseBytes: this.#parts.egress().max_response_bytes },
      });
    } catch (error) {
      // An adapter throws only for its own mistakes; whether it had an effect is not known.
      this.#parts.log.error('an adapter threw', { action, error: errorText(error) });
      const code = isSublError(error) ? error.code : 'adapter_failed';
      const message = isSublError(error) ? error.message : 'the adapter failed';
      return { kind: 'error', code, message };
    }
  }

  #answer(outcome: ServiceOutcome): Outcome {
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

  /** A run that has read something may send it on. */
  #noteRead({ kind }: ServiceOutcome): void {
    const { action } = this.#adapter;
    const { run } = this.#call.caller;
    const what = kind === 'success' ? readOf(action) : undefined;
    if (run === undefined || what === undefined) return;
    const place = this.#decided?.destination?.host;
    // Mail and calendars are others' words, wherever they lie.
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
      action: this.#adapter.action,
      payload: this.#payload,
      length: this.#call.read.payloadCanonical.length,
      host: this.#decided?.destination?.host,
    });
  }
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

/** Of a service's answer only its status and size are recorded. */
function sizeFacts(data: JsonObject): JsonObject {
  const facts: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if ((key === 'status' || key === 'bytes') && typeof value === 'number') facts[`service_${key}`] = value;
  }
  return facts;
}

import type { AdapterAction, ErrorCode, JsonObject, PayloadOf, SublError } from '@subluminal/core-types';
import type { CheckedDestination, Destination } from '@subluminal/egress';

/** Carries out one action on a service outside. `P` is its payload as the schema has read it. */
export interface ServiceAdapter<P> {
  /**
   * Reads where a request leads and whose secret it gets, once, before anything is decided. `redirectedFrom`
   * holds the requests that were redirected to this one, the first of them first.
   *
   * @throws SublError `invalid_request` for a payload that cannot be sent, `account_unknown`: nothing is
   * recorded as pending that never could be.
   */
  prepare(payload: P, redirectedFrom: readonly P[]): Attempt<P>;
}

/** One adapter for every action. */
export type ServiceAdapters = { readonly [A in AdapterAction]: ServiceAdapter<PayloadOf<A>> };

/** A request as it is decided on. `execute` uses the place and the account of this attempt, and no others. */
export interface Attempt<P = never> {
  /** The place that the allowlist decides on; undefined where the action opens no connection. */
  readonly destination: Destination | undefined;
  /** The account whose secret the request gets, which its entry names; undefined where it gets none. */
  readonly accountName: string | undefined;
  /**
   * Runs the action once, on exactly `call.destination`. Expected failures are outcomes; only bugs throw. It
   * never resolves a name and never follows a redirect.
   */
  execute(call: ServiceCall): Promise<ServiceOutcome<P>>;
}

/** The decision that an attempt is carried out under. */
export interface ServiceCall {
  /** The run that asks; `null` for the operator. Together with `requestId` it names one request for ever. */
  readonly runId: string | null;
  readonly requestId: string;
  readonly destination: CheckedDestination | undefined;
  readonly signal: AbortSignal;
  /**
   * `timeoutMs` is the rest of the action's time after its name was resolved; connect to last byte counts.
   */
  readonly limits: { readonly timeoutMs: number; readonly maxResponseBytes: number };
}

/** The end of an action. */
export type ServiceAnswer =
  | { readonly kind: 'success'; readonly data: JsonObject }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      /** The next step for the caller; no entry holds it. */
      readonly help?: string;
      readonly data?: JsonObject;
    };

/** A `redirect` is a new request, which has to pass the pipeline again, from the allowlist on. */
export type ServiceOutcome<P = never> =
  | ServiceAnswer
  | { readonly kind: 'redirect'; readonly status: number; readonly next: P };

/** An expected failure as an outcome: its code, what happened, and what to do about it. */
export function failureOf({ code, message, help }: SublError): ServiceAnswer {
  return { kind: 'error', code, message, ...(help === undefined ? {} : { help }) };
}

import type { AdapterAction, ErrorCode, JsonObject } from '@subluminal/core-types';
import type { CheckedDestination, Destination } from '@subluminal/egress';

/** Executes one action on a service outside, after everything about it was decided. */
export interface ServiceAdapter {
  readonly action: AdapterAction;
  /**
   * Where the payload leads, by itself or by the account that it means: what the allowlist decides on. `undefined` if the action
   * opens no connection. Throws `invalid_request` for a payload that cannot be sent and `account_unknown`, so that nothing is
   * recorded as pending that never could be.
   */
  destination(payload: JsonObject): Destination | undefined;
  /**
   * The name of the account whose secret a request gets, which its entry says. Absent: it gets none. Throws as `destination` does.
   */
  readonly accountName?: (payload: JsonObject, redirectedFrom: readonly JsonObject[]) => string | undefined;
  /**
   * Runs the action once, on exactly `call.destination`. Expected failures are outcomes; only bugs throw. Never
   * resolves a name, never follows a redirect.
   */
  execute(call: ServiceCall): Promise<ServiceOutcome>;
}

/** One decided action. */
export interface ServiceCall {
  /** Passed its schema; an adapter reads it again with that schema. */
  readonly payload: JsonObject;
  /** Whose request it is, and which one: no other has both, however often this one is asked. `null`: the operator's. */
  readonly runId: string | null;
  readonly requestId: string;
  /** The payloads of the requests that were redirected to this one, the first of them first. */
  readonly redirectedFrom: readonly JsonObject[];
  readonly destination: CheckedDestination | undefined;
  /** The account that its entry names: no other's secret is used. */
  readonly accountName?: string | undefined;
  readonly signal: AbortSignal;
  /** `timeoutMs` is what is left of the action's time after it was resolved; connect to last byte counts. */
  readonly limits: { readonly timeoutMs: number; readonly maxResponseBytes: number };
}

/** How it went. A `redirect` is a new request that has to pass the pipeline again, from the allowlist on. */
export type ServiceOutcome =
  | { readonly kind: 'success'; readonly data: JsonObject }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      /** What to do about it; for whoever asks, and not for the record. */
      readonly help?: string;
      readonly data?: JsonObject;
    }
  | { readonly kind: 'redirect'; readonly status: number; readonly next: JsonObject };

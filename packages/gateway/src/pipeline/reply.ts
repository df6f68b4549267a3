import type { ErrorCode, JsonObject, JsonValue, ResponseStatus, SublError } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';

/** The error part of an answer. */
export interface ReplyError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help?: string;
  readonly details?: JsonObject;
}

/** The end of a request, before it is signed. */
export interface Outcome {
  readonly status: ResponseStatus;
  readonly data?: JsonValue;
  readonly error?: ReplyError;
  /** Members of the result's entry. The answer does not hold them. */
  readonly facts?: JsonObject;
}

/** The answer to one request. */
export interface Reply extends Omit<Outcome, 'facts'> {
  readonly requestId: string;
  /** The signature of the request as it came: the answer's signature covers it. */
  readonly requestMac: string;
  /** `<seq>.<leaf>` of the ledger entry that holds the outcome, empty when none does. */
  readonly auditRef: string;
  /** The connection cannot go on after this answer. */
  readonly close: boolean;
}

/** A stage's refusal: what is answered, and under which status it is recorded. */
export interface Refusal {
  readonly status: Exclude<ResponseStatus, 'success'>;
  readonly error: ReplyError;
  readonly data?: JsonValue;
  readonly close?: boolean;
  /** The live run that it is recorded with, where that is not the caller's. */
  readonly runId?: string;
  /** The stage that it is recorded under, where its work is done in an earlier one. */
  readonly stage?: 'rate-limit';
  /** The entries that record it, where they are not an `action_rejected`. */
  readonly entries?: readonly EntryInput[];
  /** Told whether those entries are durable. */
  readonly recorded?: (isDurable: boolean) => void;
}

/** A refusal with status `error`. */
export function refuse(
  code: ErrorCode,
  message: string,
  extra: { readonly help?: string; readonly details?: JsonObject; readonly close?: boolean } = {},
): Refusal {
  const { close = false, ...rest } = extra;
  return { status: 'error', error: { code, message, ...rest }, close };
}

/** A refusal with the code, message and help of an error. */
export function refuseFor(error: SublError, extra: { readonly close?: boolean } = {}): Refusal {
  const { code, message, help } = error;
  return refuse(code, message, help === undefined ? extra : { ...extra, help });
}

/** The success of an action. */
export function success(data: JsonValue): Outcome {
  return { status: 'success', data };
}

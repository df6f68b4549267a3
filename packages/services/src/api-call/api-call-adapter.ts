import {
  type ServiceApiCallPayload,
  SublError,
  canonicalize,
  exactMask,
  type HiddenValue,
} from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import type { AccountStore } from '../accounts/store.js';
import type { ServiceAdapter, ServiceCall, ServiceOutcome } from '../action/service-adapter.js';
import { attemptAt, attemptFor } from '../account/attempt.js';
import { hiddenBody } from '../account/hidden-body.js';
import { accountFor, assertFree, credentialHeader } from './credential.js';
import { nextRequest } from './redirect.js';
import { requestHeaders } from './request-headers.js';
import { responseData } from './response-data.js';
import {
  type CheckedDestination,
  type Dialer,
  exchange,
  exchangeOnce,
  type HttpRequest,
  type HttpResponse,
  parseEndpoint,
} from '@subluminal/egress';

export interface ApiCallOptions {
  readonly dialer: Dialer;
  readonly accounts: Pick<AccountStore, 'all' | 'secretOf'>;
}

type Outcome = ServiceOutcome<ServiceApiCallPayload>;

/**
 * `service.api_call` over HTTP/1.1. Any status is a success, since the service answered; a redirect is
 * returned, not followed. A request other than a GET that may have had an effect before it went wrong is
 * `in_doubt`. Without a limit on time, size or redirects nothing is read. An account of the kind `api` for
 * that place has its credential put in as the last thing before the request is sent, and taken out of
 * everything that comes back.
 */
export function createApiCallAdapter({
  dialer,
  accounts,
}: ApiCallOptions): ServiceAdapter<ServiceApiCallPayload> {
  return {
    prepare(payload, redirectedFrom) {
      const { destination: wanted, target } = parseEndpoint(payload.endpoint);
      const request = requestOf(payload, target);
      const account = meantAccount(accounts, payload, redirectedFrom);
      const send = async (
        headers: HttpRequest['headers'],
        destination: CheckedDestination,
        { limits, signal }: ServiceCall,
      ): Promise<HttpResponse> => {
        const ask = payload.method === 'GET' ? exchange : exchangeOnce;
        return ask(dialer, destination, { ...request, headers }, limits, signal);
      };
      if (account === undefined)
        return attemptAt(wanted, async (destination, call) =>
          answered(payload, await send(request.headers, destination, call), destination, call),
        );
      return attemptFor(accounts, account, wanted, async ({ secret, hidden, destination, call }) => {
        const [name, value] = credentialHeader(account, secret);
        const response = await send({ ...request.headers, [name]: value }, destination, call);
        const shown = await hiddenBody(response, hidden);
        const body = shown ?? { ...response, body: new Uint8Array() };
        const outcome = answered(payload, body, destination, call);
        if (outcome.kind === 'redirect') assertWithout(hidden, outcome.next.endpoint);
        const isWithheld = shown === undefined && outcome.kind === 'success';
        return isWithheld ? { ...outcome, data: { ...outcome.data, withheld: true } } : outcome;
      });
    },
  };
}

function answered(
  payload: ServiceApiCallPayload,
  response: HttpResponse,
  destination: CheckedDestination,
  { limits }: ServiceCall,
): Outcome {
  const next = redirected(payload, destination, response);
  if (next !== undefined) return { kind: 'redirect', status: response.status, next };
  return { kind: 'success', data: responseData(response, limits.maxResponseBytes) };
}

/** Throws `adapter_failed` for a redirect that carries the credential to the place that it leads to. */
function assertWithout(hidden: readonly HiddenValue[], endpoint: string): void {
  if (exactMask(hidden, { cut: false })?.(endpoint) === endpoint) return;
  throw new SublError('adapter_failed', 'the service redirects to an address with the credential in it');
}

/** `nextRequest`; a redirect that leads nowhere does not undo the request. */
function redirected(...given: Parameters<typeof nextRequest>): ReturnType<typeof nextRequest> {
  try {
    return nextRequest(...given);
  } catch (error) {
    const [{ method }] = given;
    if (method === 'GET' || !(error instanceof SublError)) throw error;
    throw new SublError('in_doubt', `it may have been done: ${error.message}`, { cause: error });
  }
}

/**
 * The account whose credential a request gets. Where a request was redirected, a service chose the place: it
 * gets the credential only if every request on the way was for the same account. A request that has left its
 * place once has lost the credential, also where it comes back.
 *
 * @throws SublError `invalid_request` for a header that an account of that place does not leave to callers.
 */
function meantAccount(
  accounts: ApiCallOptions['accounts'],
  payload: ServiceApiCallPayload,
  redirectedFrom: readonly ServiceApiCallPayload[],
): Account<'api'> | undefined {
  const all = accounts.all('api').filter((account): account is Account<'api'> => account.kind === 'api');
  const accountOf = ({ endpoint, method }: ServiceApiCallPayload): Account<'api'> | undefined => {
    const { destination, target } = parseEndpoint(endpoint);
    return accountFor(all, { origin: destination.origin, target, method });
  };
  const account = accountOf(payload);
  if (account !== undefined) assertFree(account, payload.headers);
  return redirectedFrom.every((before) => accountOf(before)?.name === account?.name) ? account : undefined;
}

/**
 * Throws `invalid_request` for everything that can be wrong with a payload, before a decision is asked for.
 */
function requestOf({ method, headers, body }: ServiceApiCallPayload, target: string): HttpRequest {
  if (method === 'GET' && body !== undefined) {
    throw new SublError('invalid_request', 'a GET request has no body', {
      help: 'put it into the query, or use POST',
    });
  }
  const isText = typeof body === 'string';
  const defaults: Record<string, string> =
    body === undefined || isText ? {} : { 'content-type': 'application/json' };
  return {
    method,
    target,
    headers: requestHeaders(headers, defaults),
    body: body === undefined ? undefined : Buffer.from(isText ? body : canonicalize(body), 'utf8'),
  };
}

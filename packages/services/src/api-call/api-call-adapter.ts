import {
  type JsonObject,
  type JsonValue,
  ServiceApiCallPayload,
  SublError,
  canonicalize,
} from '@subluminal/core-types';
import {
  type Account,
  type AccountStore,
  failureOf,
  repeatedOf,
  type ServiceAdapter,
  type ServiceCall,
  type ServiceOutcome,
} from '@subluminal/gateway';
import {
  type Dialer,
  type Endpoint,
  exchange,
  exchangeOnce,
  type HttpRequest,
  type HttpResponse,
  parseEndpoint,
} from '@subluminal/egress';
import { accountFor, assertFree, credentialHeader } from './credential.js';
import { hiddenBody } from '../account/hidden-body.js';
import { withoutCredential } from './echo.js';
import { nextRequest } from './redirect.js';
import { requestHeaders } from './request-headers.js';
import { responseData } from './response-data.js';

/** What the adapter needs: who opens its connections, and whose credentials it may use. */
export interface ApiCallOptions {
  readonly dialer: Dialer;
  readonly accounts: Pick<AccountStore, 'all' | 'secretOf'>;
}

/**
 * `service.api_call` over HTTP/1.1. Any status is a success, since the service answered; a redirect is returned, not
 * followed. What may have had an effect before it went wrong is `in_doubt`: everything but a GET. Without a limit on time, size or redirects nothing is read. An account of the kind `api` for that place has its
 * credential put in as the last thing before the request is sent, and taken out of what comes back.
 */
export function createApiCallAdapter(options: ApiCallOptions): ServiceAdapter {
  return {
    action: 'service.api_call',
    destination: (payload) => {
      const prepared = prepare(payload);
      const account = accountOf(options, prepared);
      if (account !== undefined) assertFree(account, prepared.payload.headers);
      return prepared.endpoint.destination;
    },
    accountName: (payload, redirectedFrom) => meantAccount(options, prepare(payload), redirectedFrom)?.name,
    async execute(call) {
      try {
        return await run(options, call);
      } catch (error) {
        if (!(error instanceof SublError)) throw error;
        return failureOf(error);
      }
    },
  };
}

async function run(options: ApiCallOptions, call: ServiceCall): Promise<ServiceOutcome> {
  const prepared = prepare(call.payload);
  const { payload, endpoint, request } = prepared;
  const { destination } = call;
  if (destination?.origin !== endpoint.destination.origin) {
    throw new SublError('not_allowed', `\`${endpoint.destination.origin}\` is not what was decided on`);
  }
  const ask = payload.method === 'GET' ? exchange : exchangeOnce;
  const send = (headers: HttpRequest['headers']): Promise<HttpResponse> =>
    ask(options.dialer, destination, { ...request, headers }, call.limits, call.signal);
  const answered = (response: HttpResponse): ServiceOutcome => {
    const next = redirected(payload, destination, response);
    if (next !== undefined) return { kind: 'redirect', status: response.status, next: asJson(next) };
    return { kind: 'success', data: responseData(response, call.limits.maxResponseBytes) };
  };
  const account = meantAccount(options, prepared, call.redirectedFrom);
  if (account?.name !== call.accountName)
    throw new SublError('not_allowed', 'the account for this address is not what was decided on');
  if (account === undefined) return answered(await send(request.headers));
  assertFree(account, payload.headers);
  const secret = options.accounts.secretOf(account, call.runId);
  const values = repeatedOf(account, secret);
  try {
    const [name, value] = credentialHeader(account, secret);
    const response = await send({ ...request.headers, [name]: value });
    const shown = hiddenBody(response, values);
    const outcome = answered(shown ?? { ...response, body: new Uint8Array() });
    const withheld = shown === undefined && outcome.kind === 'success';
    return withoutCredential(
      withheld ? { ...outcome, data: { ...outcome.data, withheld: true } } : outcome,
      values,
    );
  } catch (error) {
    if (!(error instanceof SublError)) throw error;
    return withoutCredential(failureOf(error), values);
  }
}

/** `nextRequest`; a redirect that leads nowhere does not undo what was asked for. */
function redirected(...given: Parameters<typeof nextRequest>): ReturnType<typeof nextRequest> {
  try {
    return nextRequest(...given);
  } catch (error) {
    const [{ method }] = given;
    if (method === 'GET' || !(error instanceof SublError)) throw error;
    throw new SublError('in_doubt', `it may have been done: ${error.message}`, { cause: error });
  }
}

/** The account whose credential belongs to a request. */
function accountOf(
  { accounts }: ApiCallOptions,
  { endpoint, payload }: Prepared,
): Account<'api'> | undefined {
  const all = accounts.all('api').filter((account): account is Account<'api'> => account.kind === 'api');
  const { origin } = endpoint.destination;
  return accountFor(all, { origin, target: endpoint.target, method: payload.method });
}

/**
 * Where a request was redirected, a service chose the place: it gets the credential only if every request on the way was for the
 * same account. One that has left its place once has lost it, also where it comes back.
 */
function meantAccount(
  options: ApiCallOptions,
  prepared: Prepared,
  redirectedFrom: readonly JsonObject[],
): Account<'api'> | undefined {
  const account = accountOf(options, prepared);
  const isMeant = redirectedFrom.every(
    (payload) => accountOf(options, prepare(payload))?.name === account?.name,
  );
  return isMeant ? account : undefined;
}

interface Prepared {
  readonly payload: ServiceApiCallPayload;
  readonly endpoint: Endpoint;
  readonly request: HttpRequest;
}

/** Everything that can be wrong with a payload is wrong here, before a decision is asked for. */
function prepare(given: JsonObject): Prepared {
  const parsed = ServiceApiCallPayload.safeParse(given);
  if (!parsed.success) throw new SublError('invalid_request', 'the payload does not fit `service.api_call`');
  const payload = parsed.data;
  const endpoint = parseEndpoint(payload.endpoint);
  if (payload.method === 'GET' && payload.body !== undefined) {
    throw new SublError('invalid_request', 'a GET request has no body', {
      help: 'put it into the query, or use POST',
    });
  }
  const { body } = payload;
  const isText = typeof body === 'string';
  const defaults: Record<string, string> =
    body === undefined || isText ? {} : { 'content-type': 'application/json' };
  return {
    payload,
    endpoint,
    request: {
      method: payload.method,
      target: endpoint.target,
      headers: requestHeaders(payload.headers, defaults),
      body: body === undefined ? undefined : Buffer.from(isText ? body : canonicalize(body), 'utf8'),
    },
  };
}

function asJson(payload: ServiceApiCallPayload): JsonObject {
  const { service, endpoint, method, headers, body } = payload;
  const json: Record<string, JsonValue> = { service, endpoint, method };
  if (headers !== undefined) json['headers'] = headers;
  if (body !== undefined) json['body'] = body;
  return json;
}

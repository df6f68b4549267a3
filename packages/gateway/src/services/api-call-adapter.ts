import {
  type JsonObject,
  type JsonValue,
  ServiceApiCallPayload,
  SublError,
  canonicalize,
  isJsonObject,
} from '@subluminal/core-types';
import type { Dialer } from '../egress/dial.js';
import { type Endpoint, parseEndpoint } from '../egress/destination.js';
import { type HttpRequest, exchange } from '../egress/http-exchange.js';
import { nextRequest } from './redirect.js';
import { requestHeaders } from './request-headers.js';
import { responseData } from './response-data.js';
import type { ServiceAdapter, ServiceCall, ServiceOutcome } from './service-adapter.js';

/** What the adapter needs: who opens its connections. */
export interface ApiCallOptions {
  readonly dialer: Dialer;
}

/**
 * `service.api_call` over HTTP/1.1. Any status is a success, since the service answered; a redirect is returned, not
 * followed. Without a limit on time, size or redirects nothing is read.
 */
export function createApiCallAdapter(options: ApiCallOptions): ServiceAdapter {
  return {
    action: 'service.api_call',
    destination: (payload) => prepare(payload).endpoint.destination,
    async execute(call) {
      try {
        return await run(options.dialer, call);
      } catch (error) {
        if (!(error instanceof SublError)) throw error;
        return { kind: 'error', code: error.code, message: error.message };
      }
    },
  };
}

async function run(dialer: Dialer, call: ServiceCall): Promise<ServiceOutcome> {
  const { payload, endpoint, request } = prepare(call.payload);
  const { destination } = call;
  if (destination?.origin !== endpoint.destination.origin) {
    throw new SublError('not_allowed', `\`${endpoint.destination.origin}\` is not what was decided on`);
  }
  const response = await exchange(dialer, destination, request, call.limits, call.signal);
  const next = nextRequest(payload, destination, response);
  if (next !== undefined) return { kind: 'redirect', status: response.status, next: asJson(next) };
  return { kind: 'success', data: responseData(response, call.limits.maxResponseBytes) };
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
  const { headers } = given;
  // The schema drops a key of that name, and what was judged would not be what is sent.
  if (headers !== undefined && isJsonObject(headers) && Object.hasOwn(headers, '__proto__')) {
    throw new SublError('invalid_request', 'the header `__proto__` cannot be sent');
  }
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

import { type ServiceApiCallPayload, SublError } from '@subluminal/core-types';
import { type Destination, type HttpResponse, MAX_ENDPOINT, parseDestination } from '@subluminal/egress';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Headers that may go along to another origin. Every other one could be a credential under an unknown name.
 */
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-type',
  'range',
  'user-agent',
]);

/**
 * The request that a redirect asks for, or `undefined` if the answer is none
 * (https://www.rfc-editor.org/rfc/rfc9110#section-15.4): 303 makes it a GET, 301 and 302 make a POST a GET,
 * 307 and 308 change nothing; a GET has no body. On another origin only headers that cannot be credentials
 * are kept.
 *
 * Throws `adapter_failed` if the redirect leads nowhere that could be asked for.
 */
export function nextRequest(
  payload: ServiceApiCallPayload,
  origin: Destination,
  response: HttpResponse,
): ServiceApiCallPayload | undefined {
  const locations = response.headers.get('location');
  if (!REDIRECTS.has(response.status) || locations === undefined) return undefined;
  const endpoint = locate(payload.endpoint, locations, origin);
  const toGet =
    response.status === 303 ||
    ((response.status === 301 || response.status === 302) && payload.method === 'POST');
  const sameOrigin = parseDestination(endpoint).origin === origin.origin;
  const keep = (name: string): boolean =>
    (sameOrigin || KEPT_ACROSS_ORIGINS.has(name)) && !(toGet && name.startsWith('content-'));
  return {
    service: payload.service,
    endpoint,
    method: toGet ? 'GET' : payload.method,
    ...(payload.headers === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(payload.headers).filter(([name]) => keep(name.toLowerCase())),
          ),
        }),
    ...(toGet || payload.body === undefined ? {} : { body: payload.body }),
  };
}

function locate(base: string, locations: readonly string[], origin: Destination): string {
  const [location] = locations;
  const usable =
    location !== undefined &&
    locations.length === 1 &&
    location.length <= MAX_ENDPOINT &&
    URL.canParse(location, base);
  if (!usable) throw nowhere(origin, undefined);
  const url = new URL(location, base);
  url.hash = '';
  try {
    parseDestination(url.href);
  } catch (error) {
    throw nowhere(origin, error);
  }
  return url.href;
}

function nowhere(origin: Destination, cause: unknown): SublError {
  return new SublError(
    'adapter_failed',
    `\`${origin.origin}\` redirects to something that is not an http or https URL`,
    {
      cause,
    },
  );
}

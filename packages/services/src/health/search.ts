import { isSublError, type JsonObject, listAt, SublError } from '@subluminal/core-types';
import type { Endpoint, HttpResponse } from '@subluminal/egress';
import { jsonAnswer, objectAt, refusedBy, textAt } from '../account/answer.js';
import { bearerAuthorization, type Conversation } from '../account/conversation.js';
import type { HttpsAccount } from '../account/https-account.js';
import { flatObservation } from './observation.js';
import { outcomeText } from './outcome.js';

const MAX_PAGES = 20;

/** The way to an account of a FHIR server. */
export const healthAccount = {
  kind: 'health',
  addressOf: ({ base }) => base,
  credentials: (_account, secret) => ({ authorization: bearerAuthorization(secret) }),
} as const satisfies HttpsAccount<'health'>;

/**
 * The Observations of a search, as flat objects. It follows pages on the same origin and below the same base
 * until it has enough, and passes the server's remarks on as warnings.
 */
export async function searchObservations(
  talk: Conversation,
  endpoint: Endpoint,
  query: URLSearchParams,
  limit: number,
): Promise<JsonObject> {
  const base = endpoint.target.replace(/\?.*$/, '').replace(/\/$/, '');
  const observations: JsonObject[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  let next: string | undefined = `${base}/Observation?${query.toString()}`;
  while (next !== undefined && seen.size < MAX_PAGES && observations.length < limit) {
    seen.add(next);
    const bundle = await page(talk, next);
    for (const entry of listAt(bundle, 'entry')) {
      const resource = objectAt(entry, 'resource');
      if (resource === undefined) continue;
      if (textAt(resource, 'resourceType') === 'Observation') observations.push(flatObservation(resource));
      else if (warnings.length < 10 && outcomeText(resource) !== '') warnings.push(outcomeText(resource));
    }
    const following = nextOf(talk, base, bundle);
    // A page that leads to itself has been read.
    next = following !== undefined && seen.has(following) ? undefined : following;
  }
  return {
    observations: observations.slice(0, limit),
    truncated: next !== undefined || observations.length > limit,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

async function page(talk: Conversation, target: string): Promise<JsonObject> {
  const answer = await talk.send({ method: 'GET', target, headers: { accept: 'application/fhir+json' } });
  if (answer.status !== 200) throw refusedBy(talk.origin, answer.status, await saidOf(talk, answer));
  const bundle = await jsonAnswer(talk.origin, answer);
  if (textAt(bundle, 'resourceType') !== 'Bundle')
    throw new SublError('adapter_failed', `\`${talk.origin}\` answered with something that is no Bundle`);
  return bundle;
}

async function saidOf(talk: Conversation, answer: HttpResponse): Promise<string> {
  try {
    return outcomeText(await jsonAnswer(talk.origin, answer));
  } catch (error) {
    if (isSublError(error, 'adapter_failed')) return '';
    throw error;
  }
}

/**
 * The next page. Throws `adapter_failed` where it is not below the base: the token of the account is for
 * nothing else.
 */
function nextOf(talk: Conversation, base: string, bundle: JsonObject): string | undefined {
  const link = listAt(bundle, 'link').find((one) => textAt(one, 'relation') === 'next');
  const href = link === undefined ? undefined : textAt(link, 'url', 8192);
  if (href === undefined) return undefined;
  const target = talk.targetOf(href, `${base}/`);
  const path = target.replace(/\?.*$/, '');
  if (path === base || path.startsWith(`${base}/`)) return target;
  throw new SublError('adapter_failed', `\`${talk.origin}\` names a next page outside of the account's base`);
}

import { SublError } from '@subluminal/core-types';
import type { HttpResponse } from '@subluminal/egress';
import { refusedBy } from '../../account/answer.js';
import type { Conversation } from '../../account/conversation.js';
import { readMultistatus, type Resource } from './multistatus.js';

/** Redirects of one question: servers send from their root to where they keep calendars. */
const MAX_REDIRECTS = 5;

/** The resources at a place as the server describes them, and the place after redirects. */
export interface Told {
  readonly target: string;
  readonly resources: readonly Resource[];
}

/**
 * PROPFIND (https://www.rfc-editor.org/rfc/rfc4918#section-9.1). Undefined where there is nothing. A redirect
 * is followed on the same origin alone.
 *
 * @throws SublError `credential_refused`, `adapter_failed`.
 */
export async function propfind(
  talk: Conversation,
  target: string,
  depth: 0 | 1,
  props: string,
): Promise<Told | undefined> {
  const body = `<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop>${props}</d:prop></d:propfind>`;
  let at = target;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await talk.send({ method: 'PROPFIND', target: at, headers: xmlHeaders(depth), body });
    const next = locationOf(answer);
    if (next === undefined) {
      const resources = await resourcesIn(talk, answer);
      return resources === undefined ? undefined : { target: at, resources };
    }
    at = talk.targetOf(next, at);
  }
  throw new SublError('adapter_failed', `\`${talk.origin}\` redirects more than ${MAX_REDIRECTS} times`);
}

/**
 * REPORT (https://www.rfc-editor.org/rfc/rfc3253#section-3.6) on a collection. Throws as `propfind` does; a
 * redirect is not followed.
 */
export async function report(talk: Conversation, target: string, body: string): Promise<readonly Resource[]> {
  const answer = await talk.send({ method: 'REPORT', target, headers: xmlHeaders(1), body });
  const resources = await resourcesIn(talk, answer);
  if (resources !== undefined) return resources;
  throw new SublError('not_found', 'the calendar is not there any more');
}

async function resourcesIn(
  talk: Conversation,
  answer: HttpResponse,
): Promise<readonly Resource[] | undefined> {
  if (answer.status === 404 || answer.status === 405) return undefined;
  if (answer.status !== 207) throw refusedBy(talk.origin, answer.status);
  return readMultistatus(textOf(answer));
}

/** A body as text. Throws `adapter_failed` where it is not UTF-8. */
export function textOf(answer: HttpResponse): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch (cause) {
    throw new SublError('adapter_failed', 'the calendar server answered with something that is not UTF-8', {
      cause,
    });
  }
}

function locationOf({ status, headers }: HttpResponse): string | undefined {
  return status >= 300 && status < 400 ? headers.get('location')?.[0] : undefined;
}

function xmlHeaders(depth: 0 | 1): Record<string, string> {
  return {
    'content-type': 'application/xml; charset=utf-8',
    accept: 'application/xml, text/xml',
    depth: String(depth),
  };
}

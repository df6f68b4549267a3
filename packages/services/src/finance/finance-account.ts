import { type JsonObject, SublError } from '@subluminal/core-types';
import { jsonAnswer, refusedBy } from '../account/answer.js';
import { basicAuthorization, type Conversation } from '../account/conversation.js';
import type { HttpsAccount } from '../account/https-account.js';
import { readAccessUrl } from './access-url.js';

/** The way to an account of SimpleFIN. */
export const financeAccount = {
  kind: 'finance',
  addressOf: ({ origin }) => origin,
  credentials: (account, secret) => {
    const { user, password, origin } = readAccessUrl(secret);
    if (origin !== new URL(account.settings.origin).origin)
      throw new SublError('not_allowed', `the access URL of \`${account.name}\` is for another origin`);
    return { authorization: basicAuthorization(user, password) };
  },
} as const satisfies HttpsAccount<'finance'>;

/** `GET /accounts` of the access URL, once. Throws `credential_refused`, `adapter_failed`. */
export async function fetchAccountSet(
  talk: Conversation,
  accessUrl: string,
  query: URLSearchParams,
): Promise<JsonObject> {
  const asked = query.size === 0 ? '' : `?${query.toString()}`;
  const target = `${readAccessUrl(accessUrl).path}/accounts${asked}`;
  const answer = await talk.send({ method: 'GET', target, headers: { accept: 'application/json' } });
  if (answer.status === 402)
    throw new SublError('adapter_failed', `\`${talk.origin}\` wants to be paid first (402)`);
  if (answer.status !== 200) throw refusedBy(talk.origin, answer.status);
  return jsonAnswer(talk.origin, answer);
}

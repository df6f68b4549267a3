import {
  type AccountClaimPayload,
  isSublError,
  secretProblem,
  setupTokenUrl,
  SublError,
  type JsonObject,
} from '@subluminal/core-types';
import type { AccountStore } from '../accounts/store.js';
import type { Allowed, Clock, Recorder } from '@subluminal/gateway';
import { assertSecretFits, destinationsOf } from '../accounts/destinations.js';
import { reachData, recordChange } from '../accounts/change.js';
import type { SentToken, SentTokens } from '../accounts/sent-tokens.js';
import type { ServiceAdapter, ServiceCall } from '../action/service-adapter.js';
import { attemptAt } from '../account/attempt.js';
import { refusedBy } from '../account/answer.js';
import { Conversation } from '../account/conversation.js';
import { type Dialer, type Endpoint, type HttpResponse, parseEndpoint } from '@subluminal/egress';

export interface ClaimParts {
  readonly dialer: Pick<Dialer, 'connect'>;
  readonly accounts: Pick<AccountStore, 'assertRoom' | 'has' | 'put'>;
  readonly tokens: SentTokens;
  readonly allowlist: Pick<Allowed, 'find'>;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly clock: Clock;
}

interface Claim {
  readonly name: string;
  readonly token: string;
  readonly replace: boolean;
  readonly endpoint: Endpoint;
}

/**
 * `account.claim`: a setup token of SimpleFIN becomes an account, by one POST to the address that stands in
 * it. A token works once: it is marked on disk as sent before it is sent, and no marked token is sent again.
 * The mark is removed where the service says that it did not take the token. The access URL that comes back
 * is the account's secret, and stands in no answer, entry or log.
 */
export function claimAdapter(parts: ClaimParts): ServiceAdapter<AccountClaimPayload> {
  return {
    prepare({ name, token: given, replace }) {
      const endpoint = claimEndpoint(given);
      // The same token can be written with spaces, without the signs at its end, or in the letters of URLs.
      const token = Buffer.from(given.replaceAll(/\s+/g, ''), 'base64').toString('base64');
      assertUnsent(parts.tokens, token);
      parts.accounts.assertRoom(name, replace);
      const claim: Claim = { name, token, replace, endpoint };
      return attemptAt(endpoint.destination, async (destination, call) => {
        // An account of that name may have been added since: the token is not used up for nothing.
        parts.accounts.assertRoom(name, replace);
        const talk = new Conversation(parts.dialer, destination, call, {});
        const accessUrl = accessUrlIn(await send(parts, talk, claim), destination.origin);
        return { kind: 'success', data: await keep(parts, call, claim, accessUrl) };
      });
    },
  };
}

function claimEndpoint(token: string): Endpoint {
  const url = setupTokenUrl(token);
  if (url === undefined) throw new SublError('invalid_request', 'this is no setup token');
  const endpoint = parseEndpoint(url);
  if (endpoint.destination.protocol !== 'https')
    throw new SublError(
      'invalid_request',
      'the setup token leads to a place without TLS, and is not sent there',
    );
  return endpoint;
}

function assertUnsent(tokens: SentTokens, token: string): void {
  const sent = tokens.find(token);
  if (sent !== undefined) throw alreadySent(sent);
}

function alreadySent(sent: SentToken | undefined): SublError {
  const when = sent === undefined ? '' : ` at ${new Date(sent.sentMs).toISOString()}`;
  return sent?.claimed === true
    ? new SublError('usage', `this setup token was claimed${when}; it works once`, {
        help: 'for another account make a new one where it came from',
      })
    : new SublError(
        'interrupted',
        `this setup token was sent${when}, and what came back is lost: it counts as used up`,
      );
}

/** The one POST. The mark of a token that was surely not taken is removed. */
async function send(
  { tokens }: ClaimParts,
  talk: Conversation,
  { token, endpoint }: Claim,
): Promise<HttpResponse> {
  const { origin } = talk;
  if (!tokens.claimOnce(token)) throw alreadySent(tokens.find(token));
  let answer: HttpResponse;
  try {
    answer = await talk.sendOnce({ method: 'POST', target: endpoint.target, headers: { accept: '*/*' } });
  } catch (error) {
    if (isSublError(error, 'in_doubt'))
      throw new SublError(
        'in_doubt',
        `the setup token was sent to \`${origin}\`, and its answer was lost: it counts as used up`,
        { cause: error },
      );
    tokens.forget(token);
    throw error;
  }
  if (answer.status === 200) return answer;
  tokens.forget(token);
  if (answer.status === 403)
    throw new SublError(
      'credential_refused',
      `\`${origin}\` refused the setup token (403): it was used before, or is none`,
    );
  throw refusedBy(origin, answer.status);
}

function accessUrlIn(answer: HttpResponse, origin: string): string {
  const text = Buffer.from(answer.body).toString('latin1').trim();
  try {
    if (secretProblem(text, { redact: false }) !== undefined) throw new SublError('usage', 'it is no secret');
    assertSecretFits('finance', { origin: new URL(text).origin }, text);
    return text;
  } catch (cause) {
    if (!isSublError(cause) && !(cause instanceof TypeError)) throw cause;
    throw new SublError(
      'adapter_failed',
      `\`${origin}\` took the setup token, and answered with something that is no access URL: the token is used up`,
      { cause },
    );
  }
}

/** Records the change, then stores the account, which leads where its access URL says. */
async function keep(
  { accounts, tokens, allowlist, recorder, clock }: ClaimParts,
  call: ServiceCall,
  { name, token, replace }: Claim,
  accessUrl: string,
): Promise<JsonObject> {
  const settings = { origin: new URL(accessUrl).origin };
  const wanted = destinationsOf('finance', settings);
  const change = accounts.has(name) ? 'replaced' : 'added';
  accounts.assertRoom(name, replace);
  await recordChange(recorder, clock(), { id: call.requestId }, { change, name, kind: 'finance', wanted });
  accounts.assertRoom(name, replace);
  accounts.put(name, 'finance', settings, accessUrl);
  tokens.claimed(token);
  const reaches = wanted.map((one) => reachData(one, allowlist.find(one) !== undefined));
  return { name, kind: 'finance', change, reaches };
}

import {
  AccountClaimPayload,
  isSublError,
  secretProblem,
  setupTokenUrl,
  SublError,
  type JsonObject,
} from '@subluminal/core-types';
import {
  type AccountStore,
  type Allowlist,
  assertSecretFits,
  type Clock,
  destinationsOf,
  failureOf,
  reachData,
  recordChange,
  type Recorder,
  type SentTokens,
  type ServiceAdapter,
  type ServiceCall,
} from '@subluminal/gateway';
import { type Dialer, type Endpoint, type HttpResponse, parseEndpoint } from '@subluminal/egress';
import { refusedBy } from '../account/answer.js';
import { Conversation } from '../account/conversation.js';

/** What a claim is made with. */
export interface ClaimParts {
  readonly dialer: Pick<Dialer, 'connect'>;
  readonly accounts: Pick<AccountStore, 'assertRoom' | 'has' | 'put'>;
  readonly tokens: SentTokens;
  readonly allowlist: Pick<Allowlist, 'find'>;
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
 * `account.claim`: a setup token of SimpleFIN becomes an account, by one POST to the address that stands in it. A token works once, so it is
 * marked on disk as sent before it is, and no marked one is sent again; the mark goes where the service says that it did not take it. The access URL that comes back is the account's
 * secret, and stands in no answer, entry or log.
 */
export function claimAdapter(parts: ClaimParts): ServiceAdapter {
  const read = (given: JsonObject): Claim => {
    const parsed = AccountClaimPayload.safeParse(given);
    if (!parsed.success) throw new SublError('invalid_request', 'the payload does not fit `account.claim`');
    const { name, replace } = parsed.data;
    const endpoint = claimEndpoint(parsed.data.token);
    // Spaces and line feeds are no part of it; without the signs at its end, or in the letters of URLs, it is the same one.
    const token = Buffer.from(parsed.data.token.replaceAll(/\s+/g, ''), 'base64').toString('base64');
    assertUnsent(parts.tokens, token);
    parts.accounts.assertRoom(name, replace);
    return { name, token, replace, endpoint };
  };
  return {
    action: 'account.claim',
    destination: (payload) => read(payload).endpoint.destination,
    async execute(call) {
      try {
        const claim = read(call.payload);
        const accessUrl = accessUrlIn(await send(parts, call, claim), claim.endpoint.destination.origin);
        return { kind: 'success', data: await keep(parts, call, claim, accessUrl) };
      } catch (error) {
        if (!isSublError(error)) throw error;
        return failureOf(error);
      }
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
  if (sent === undefined) return;
  const when = new Date(sent.sentMs).toISOString();
  throw sent.claimed
    ? new SublError('usage', `this setup token was claimed at ${when}; it works once`, {
        help: 'for another account make a new one where it came from',
      })
    : new SublError(
        'interrupted',
        `this setup token was sent at ${when}, and what came back is lost: it counts as used up`,
      );
}

/** The one POST. What was surely not taken may be tried again. */
async function send(parts: ClaimParts, call: ServiceCall, claim: Claim): Promise<HttpResponse> {
  const { token, endpoint } = claim;
  const { origin } = endpoint.destination;
  if (call.destination?.origin !== origin)
    throw new SublError('not_allowed', `\`${origin}\` is not what was decided on`);
  const talk = new Conversation(parts.dialer, call.destination, call, {});
  if (!parts.tokens.claimOnce(token)) assertUnsent(parts.tokens, token);
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
    parts.tokens.forget(token);
    throw error;
  }
  if (answer.status === 200) return answer;
  parts.tokens.forget(token);
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

/** Recorded, then put in. The account leads where its access URL says. */
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

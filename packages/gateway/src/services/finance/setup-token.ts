import { SublError } from '@subluminal/core-types';
import { type Endpoint, parseEndpoint } from '../../egress/destination.js';
import { printable } from '../account/answer.js';
import type { Conversation } from '../account/conversation.js';
import { readAccessUrl } from './access-url.js';

/**
 * The claim URL that a setup token of SimpleFIN stands for.
 *
 * @throws SublError `invalid_request` for what is none, or leads elsewhere than to https.
 */
export function claimEndpoint(token: string): Endpoint {
  const text = /^[A-Za-z0-9+/_=-]{8,8192}$/.test(token)
    ? Buffer.from(token, 'base64').toString('latin1')
    : '';
  if (!/^https:\/\/[!-~]+$/i.test(text))
    throw new SublError('invalid_request', 'this is no setup token of SimpleFIN', {
      help: 'copy it whole from the page of your SimpleFIN server',
    });
  return parseEndpoint(text);
}

/**
 * Claims a setup token: one POST, since the token works once. Gives the access URL.
 *
 * @throws SublError `credential_refused` for a token that was used before, `in_doubt` where the answer was lost and the token is
 * spent, `adapter_failed` for what is no access URL of the same origin.
 */
export async function claimAccessUrl(talk: Conversation, claim: Endpoint): Promise<string> {
  const answer = await talk.sendOnce({ method: 'POST', target: claim.target, body: '' });
  const text = Buffer.from(answer.body).toString('latin1').trim();
  if (answer.status === 403)
    throw new SublError('credential_refused', 'the setup token was claimed before, or does not exist', {
      help: 'if you did not claim it, somebody else may have: disable it at your SimpleFIN server',
    });
  if (answer.status !== 200)
    throw new SublError(
      'adapter_failed',
      `\`${talk.origin}\` answered with status ${answer.status}: ${printable(text)}`,
    );
  if (readAccessUrl(text).origin !== claim.destination.origin)
    throw new SublError('adapter_failed', `\`${talk.origin}\` gave an access URL of another place`);
  return text;
}

import { errorOf, SublError, type JsonValue } from '@subluminal/core-types';
import { type Advice, advised, withGateway } from '../../gateway/door.js';
import type { Call } from '../../program/call.js';

const TIMEOUT_MS = 120_000;

const NEW_TOKEN = 'make a new setup token where this one came from, and take out there what the old one made';

/** The next step after a claim that gave no account, where the gateway names none. */
const ADVICE: Advice = {
  credential_refused:
    'make a new setup token; if nobody of yours used this one, tell the service that somebody else may have',
  adapter_failed: NEW_TOKEN,
  in_doubt: NEW_TOKEN,
  interrupted: NEW_TOKEN,
  gateway_unreachable: 'ask again with the same token: the gateway knows whether it was sent',
};

/**
 * Has the gateway make an account of a setup token. `origin`: the only place that the token may be sent to.
 */
export async function claim(
  call: Call,
  payload: Readonly<Record<string, unknown>>,
  url: string,
  origin: string | undefined,
): Promise<JsonValue> {
  if (origin !== undefined && originOf(url) !== originOf(origin))
    throw new SublError('usage', `the setup token is for another place than \`${origin}\``, {
      help: 'leave `--origin` out, or look where the token came from; it was not sent',
    });
  try {
    return await withGateway(call.home, 'operator', call.session.now, async (client) => {
      const answer = await client.request('account.claim', payload, { timeoutMs: TIMEOUT_MS });
      if (answer.status !== 'success') throw errorOf(answer);
      return answer.data ?? null;
    });
  } catch (error) {
    if (!(error instanceof SublError)) throw error;
    throw advised(error, ADVICE);
  }
}

/** The origin of a URL, undefined where it is none. */
export function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

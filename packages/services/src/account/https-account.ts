import { type AccountKind, type AccountSettings, type JsonObject, SublError } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import type { AccountStore } from '../accounts/store.js';
import type { Attempt, ServiceAdapter } from '../action/service-adapter.js';
import { type AccountUse, attemptFor } from './attempt.js';
import { Conversation } from './conversation.js';
import { type Destination, type Dialer, type Endpoint, parseEndpoint } from '@subluminal/egress';

export interface AccountParts {
  readonly dialer: Pick<Dialer, 'connect'>;
  readonly accounts: Pick<AccountStore, 'find' | 'secretOf'>;
}

/** The way to an account that is reached over https. */
export interface HttpsAccount<K extends AccountKind> {
  readonly kind: K;
  /** The absolute https address in the settings. */
  readonly addressOf: (settings: AccountSettings<K>) => string;
  /** The headers that make a request the account's. */
  readonly credentials: (account: Account<K>, secret: string) => Readonly<Record<string, string>>;
}

/** One action under way: the account, and the conversation with its service. */
export interface HttpsUse<K extends AccountKind> extends AccountUse {
  readonly account: Account<K>;
  readonly endpoint: Endpoint;
  readonly talk: Conversation;
}

type Work<K extends AccountKind> = (use: HttpsUse<K>) => Promise<JsonObject>;

/** One kind of action on an account over https. */
export interface HttpsAction<K extends AccountKind, P> extends HttpsAccount<K> {
  /** Reads a payload into the work to do. Throws `invalid_request` for what no service could do. */
  readonly plan: (payload: P) => Work<K>;
}

/** The adapter of an action on the account that its payload means. */
export function httpsAdapter<K extends AccountKind, P extends { readonly account?: string | undefined }>(
  parts: AccountParts,
  action: HttpsAction<K, P>,
): ServiceAdapter<P> {
  return {
    prepare(payload) {
      const work = action.plan(payload);
      return httpsAttempt(parts, action, parts.accounts.find(action.kind, payload.account), work);
    },
  };
}

/** An attempt at the https address of an account. Every request of it carries the account's credentials. */
export function httpsAttempt<K extends AccountKind>(
  { dialer, accounts }: AccountParts,
  { addressOf, credentials }: HttpsAccount<K>,
  account: Account<K>,
  work: Work<K>,
): Attempt {
  const endpoint = parseEndpoint(addressOf(account.settings));
  if (endpoint.destination.protocol !== 'https')
    throw new SublError('invalid_request', `the account \`${account.name}\` has no https address`);
  return attemptFor(accounts, account, spokenOf(account.kind, endpoint.destination), async (use) => {
    const { destination, call, secret, hidden } = use;
    const talk = new Conversation(dialer, destination, call, credentials(account, secret), hidden);
    return { kind: 'success', data: await work({ ...use, account, endpoint, talk }) };
  });
}

/** A calendar speaks CalDAV, so that an allowlist entry for CalDAV is enough. */
function spokenOf(kind: AccountKind, destination: Destination): Destination {
  return kind === 'calendar' ? { ...destination, inside: 'caldav' } : destination;
}

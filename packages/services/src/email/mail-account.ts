import type { JsonObject } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import type { AccountStore } from '../accounts/store.js';
import type { Attempt, ServiceAdapter, ServiceCall } from '../action/service-adapter.js';
import type { Clock } from '@subluminal/gateway';
import { attemptFor } from '../account/attempt.js';
import {
  type MailDialer,
  type MailSession,
  type SignIn,
  partDestination,
  serverOf,
  withMailServer,
} from './session.js';

export interface EmailParts {
  readonly dialer: MailDialer;
  readonly accounts: Pick<AccountStore, 'find' | 'secretOf'>;
  readonly clock: Clock;
}

export type Part = 'imap' | 'smtp';

/** One action under way on a mail server of an account. */
export interface MailUse {
  readonly account: Account<'email'>;
  readonly session: MailSession;
  readonly signIn: SignIn;
  readonly call: ServiceCall;
}

type Work = (use: MailUse) => Promise<JsonObject>;

/** The adapter of an action on one server of the account that its payload means. */
export function mailAdapter<P extends { readonly account?: string | undefined }>(
  parts: EmailParts,
  part: Part,
  work: (payload: P, use: MailUse) => Promise<JsonObject>,
): ServiceAdapter<P> {
  return {
    prepare: (payload) =>
      mailAttempt(parts, parts.accounts.find('email', payload.account), part, (use) => work(payload, use)),
  };
}

/** An attempt on one mail server of an account, over one connection. */
export function mailAttempt(
  { dialer, accounts }: EmailParts,
  account: Account<'email'>,
  part: Part,
  work: Work,
): Attempt {
  const { user } = account.settings;
  const { security } = serverOf(account, part);
  return attemptFor(accounts, account, partDestination(account, part), async (use) => {
    const { destination, call, secret: password } = use;
    const signIn = { user, password, security };
    const data = await withMailServer(dialer, destination, call, (session) =>
      work({ account, session, signIn, call }),
    );
    return { kind: 'success', data };
  });
}

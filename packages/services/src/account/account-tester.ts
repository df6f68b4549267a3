import { type AccountKind, type AccountSettings, type JsonObject, SublError } from '@subluminal/core-types';
import { type Account, type AnyAccount, failureOf, repeatedOf } from '@subluminal/gateway';
import type { AccountTester } from './test-adapter.js';
import { type Endpoint, parseEndpoint } from '@subluminal/egress';
import { type AccountParts, spokenOf } from './account-adapter.js';
import { Conversation } from './conversation.js';
import { hiddenOutcome } from './hidden-outcome.js';

/** How one kind of account over https is tried. */
export interface AccountProbe<K extends AccountKind> {
  readonly kind: K;
  readonly addressOf: (settings: AccountSettings<K>) => string;
  readonly credentials: (account: Account<K>, secret: string) => Readonly<Record<string, string>>;
  /** Asks for something that only the account may have, and says what it was. */
  readonly probe: (
    talk: Conversation,
    endpoint: Endpoint,
    account: Account<K>,
    secret: string,
  ) => Promise<JsonObject>;
}

/** A tester that asks one harmless question with the credentials of the account. */
export function accountTester<K extends AccountKind>(
  parts: AccountParts,
  spec: AccountProbe<K>,
): AccountTester<K> {
  return {
    kind: spec.kind,
    destination: (account) =>
      spokenOf(spec.kind, parseEndpoint(spec.addressOf(account.settings)).destination),
    async execute(account, _part, call) {
      if (call.destination === undefined) throw new SublError('not_allowed', 'nothing was decided on');
      const any = account as AnyAccount;
      const secret = parts.accounts.secretOf(any, call.runId);
      const values = repeatedOf(any, secret);
      try {
        const talk = new Conversation(
          parts.dialer,
          call.destination,
          call,
          spec.credentials(account, secret),
          values,
        );
        const data = await spec.probe(talk, parseEndpoint(spec.addressOf(account.settings)), account, secret);
        return hiddenOutcome({ kind: 'success', data }, values);
      } catch (error) {
        if (!(error instanceof SublError)) throw error;
        return hiddenOutcome(failureOf(error), values);
      }
    },
  };
}

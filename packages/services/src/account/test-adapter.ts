import type { AccountKind, AccountTestPayload } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import type { AccountStore } from '../accounts/store.js';
import type { Attempt, ServiceAdapter } from '../action/service-adapter.js';

/** The server of an account that is tried, where it has several. */
export type AccountPart = AccountTestPayload['part'];

/** Tries an account of one kind: it signs in and does nothing more. */
export interface AccountTester<K extends AccountKind = AccountKind> {
  /** Throws `invalid_request` for a part that the account does not have. */
  attempt(account: Account<K>, part: AccountPart): Attempt;
}

/** The tester of each kind; undefined where there is no harmless question to ask. */
export type AccountTesters = { readonly [K in AccountKind]: AccountTester<K> | undefined };

/** `account.test`. */
export function createAccountTestAdapter(
  accounts: Pick<AccountStore, 'named'>,
  testers: AccountTesters,
): ServiceAdapter<AccountTestPayload> {
  return {
    prepare({ name, part }) {
      const account: Account = accounts.named(name);
      // An account reaches the tester of its own kind alone.
      const tester: AccountTester | undefined = testers[account.kind];
      return tester?.attempt(account, part) ?? untried(account.kind);
    },
  };
}

function untried(kind: AccountKind): Attempt {
  const message = `no adapter tries accounts of the kind \`${kind}\` yet, so nothing was done`;
  return {
    destination: undefined,
    accountName: undefined,
    execute: () => Promise.resolve({ kind: 'error', code: 'adapter_unavailable', message }),
  };
}

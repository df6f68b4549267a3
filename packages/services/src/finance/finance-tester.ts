import type { AccountTester } from '../account/test-adapter.js';
import type { AccountParts } from '../account/account-adapter.js';
import { accountTester } from '../account/account-tester.js';
import { financeAccount, fetchAccountSet } from './finance-account.js';
import { accountSet } from './account-set.js';

/** Tries an access URL: balances alone, no transactions. */
export function financeTester(parts: AccountParts): AccountTester<'finance'> {
  return accountTester(parts, {
    ...financeAccount,
    probe: async (talk, _endpoint, _account, secret) => {
      const set = await fetchAccountSet(talk, secret, new URLSearchParams({ 'balances-only': '1' }));
      const { accounts, errors } = accountSet(talk.origin, set, { accountId: undefined, limit: 0 });
      return { accounts: Array.isArray(accounts) ? accounts.length : 0, errors: errors ?? [] };
    },
  });
}

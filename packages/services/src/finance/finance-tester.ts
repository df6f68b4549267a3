import { type AccountParts, httpsAttempt } from '../account/https-account.js';
import type { AccountTester } from '../account/test-adapter.js';
import { financeAccount, fetchAccountSet } from './finance-account.js';
import { accountSet } from './account-set.js';

/** Tries an access URL: it asks for balances, and for no transactions. */
export function financeTester(parts: AccountParts): AccountTester<'finance'> {
  return {
    attempt: (account) =>
      httpsAttempt(parts, financeAccount, account, async ({ talk, secret }) => {
        const set = await fetchAccountSet(talk, secret, new URLSearchParams({ 'balances-only': '1' }));
        const { accounts, errors } = accountSet(talk.origin, set, { accountId: undefined, limit: 0 });
        return { accounts: Array.isArray(accounts) ? accounts.length : 0, errors: errors ?? [] };
      }),
  };
}

import type { PayloadOf } from '@subluminal/core-types';
import type { ServiceAdapter } from '../action/service-adapter.js';
import { type AccountParts, httpsAdapter } from '../account/https-account.js';
import { accountSet } from './account-set.js';
import { fetchAccountSet, financeAccount } from './finance-account.js';

/** Transactions of an answer where the payload names no limit. */
const DEFAULT_LIMIT = 100;

/**
 * `finance.fetch_transactions` by the SimpleFIN protocol. Amounts stay the decimal texts that they are, the
 * server's errors are passed on, and the newest transactions come first.
 */
export function financeAdapter(parts: AccountParts): ServiceAdapter<PayloadOf<'finance.fetch_transactions'>> {
  return httpsAdapter(parts, {
    ...financeAccount,
    plan:
      ({ accountId, startDate, limit = DEFAULT_LIMIT }: PayloadOf<'finance.fetch_transactions'>) =>
      async ({ secret, talk }) => {
        const query = new URLSearchParams();
        if (startDate !== undefined)
          query.set('start-date', String(Math.floor(Date.parse(startDate) / 1000)));
        if (accountId !== undefined) query.set('account', accountId);
        return accountSet(talk.origin, await fetchAccountSet(talk, secret, query), { accountId, limit });
      },
  });
}

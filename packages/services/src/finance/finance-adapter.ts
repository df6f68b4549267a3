import { FinanceFetchPayload } from '@subluminal/core-types';
import type { ServiceAdapter } from '@subluminal/gateway';
import { type AccountParts, accountAdapter } from '../account/account-adapter.js';
import { accountSet } from './account-set.js';
import { fetchAccountSet, financeAccount } from './finance-account.js';

/** Transactions of an answer where none are asked for. */
const DEFAULT_LIMIT = 100;

/**
 * `finance.fetch_transactions` by the SimpleFIN protocol. Amounts stay the decimal texts that they are, what the server says went
 * wrong is passed on, and the newest transactions come first.
 */
export function financeAdapter(parts: AccountParts): ServiceAdapter {
  return accountAdapter(parts, {
    ...financeAccount,
    action: 'finance.fetch_transactions',
    payload: FinanceFetchPayload,
    run: async ({ payload, secret, talk }) => {
      const { accountId, startDate, limit = DEFAULT_LIMIT } = payload;
      const query = new URLSearchParams();
      if (startDate !== undefined) query.set('start-date', String(Math.floor(Date.parse(startDate) / 1000)));
      if (accountId !== undefined) query.set('account', accountId);
      return accountSet(talk.origin, await fetchAccountSet(talk, secret, query), { accountId, limit });
    },
  });
}

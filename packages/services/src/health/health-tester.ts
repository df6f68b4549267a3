import { type AccountParts, httpsAttempt } from '../account/https-account.js';
import type { AccountTester } from '../account/test-adapter.js';
import { healthAccount, searchObservations } from './search.js';

/** Tries a token: it asks for one observation of any kind, and shows nothing of it. */
export function healthTester(parts: AccountParts): AccountTester<'health'> {
  return {
    attempt: (account) =>
      httpsAttempt(parts, healthAccount, account, async ({ talk, endpoint }) => {
        const { patient } = account.settings;
        const query = new URLSearchParams(patient === undefined ? {} : { patient });
        query.set('category', 'vital-signs');
        query.set('_count', '1');
        const { observations } = await searchObservations(talk, endpoint, query, 1);
        return { answered: Array.isArray(observations) };
      }),
  };
}

import type { AccountTester } from '../account/test-adapter.js';
import type { AccountParts } from '../account/account-adapter.js';
import { accountTester } from '../account/account-tester.js';
import { healthAccount, searchObservations } from './search.js';

/** Tries a token: one observation, of whatever kind, of which nothing is shown. */
export function healthTester(parts: AccountParts): AccountTester<'health'> {
  return accountTester(parts, {
    ...healthAccount,
    probe: async (talk, endpoint, { settings }) => {
      const query = new URLSearchParams(settings.patient === undefined ? {} : { patient: settings.patient });
      query.set('category', 'vital-signs');
      query.set('_count', '1');
      const { observations } = await searchObservations(talk, endpoint, query, 1);
      return { answered: Array.isArray(observations) };
    },
  });
}

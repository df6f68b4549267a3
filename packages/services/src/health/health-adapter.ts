import type { PayloadOf } from '@subluminal/core-types';
import type { ServiceAdapter } from '../action/service-adapter.js';
import { type AccountParts, httpsAdapter } from '../account/https-account.js';
import { searchFor } from './data-types.js';
import { healthAccount, searchObservations } from './search.js';

const DEFAULT_LIMIT = 200;
const MAX_PAGE = 200;

/** `health.fetch` by a search of FHIR R4 for Observations, the newest first. */
export function healthAdapter(parts: AccountParts): ServiceAdapter<PayloadOf<'health.fetch'>> {
  return httpsAdapter(parts, {
    ...healthAccount,
    plan: ({ dataType, startDate, limit = DEFAULT_LIMIT }: PayloadOf<'health.fetch'>) => {
      const { name, value } = searchFor(dataType);
      return ({ account, endpoint, talk }) => {
        const { patient } = account.settings;
        const query = new URLSearchParams(patient === undefined ? {} : { patient });
        query.set(name, value);
        if (startDate !== undefined) query.set('date', `ge${startDate}`);
        query.set('_sort', '-date');
        query.set('_count', String(Math.min(limit, MAX_PAGE)));
        return searchObservations(talk, endpoint, query, limit);
      };
    },
  });
}

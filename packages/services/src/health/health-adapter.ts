import { HealthFetchPayload } from '@subluminal/core-types';
import type { ServiceAdapter } from '@subluminal/gateway';
import { type AccountParts, accountAdapter } from '../account/account-adapter.js';
import { searchFor } from './data-types.js';
import { healthAccount, searchObservations } from './search.js';

const DEFAULT_LIMIT = 200;
const MAX_PAGE = 200;

/** `health.fetch` by a search of FHIR R4 for Observations, the newest first. */
export function healthAdapter(parts: AccountParts): ServiceAdapter {
  return accountAdapter(parts, {
    ...healthAccount,
    action: 'health.fetch',
    payload: HealthFetchPayload,
    check: ({ dataType }) => void searchFor(dataType),
    run: ({ payload, account, endpoint, talk }) => {
      const { name, value } = searchFor(payload.dataType);
      const { limit = DEFAULT_LIMIT, startDate } = payload;
      const { patient } = account.settings;
      const query = new URLSearchParams(patient === undefined ? {} : { patient });
      query.set(name, value);
      if (startDate !== undefined) query.set('date', `ge${startDate}`);
      query.set('_sort', '-date');
      query.set('_count', String(Math.min(limit, MAX_PAGE)));
      return searchObservations(talk, endpoint, query, limit);
    },
  });
}

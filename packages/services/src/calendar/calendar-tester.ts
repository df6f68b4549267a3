import { type AccountParts, httpsAttempt } from '../account/https-account.js';
import type { AccountTester } from '../account/test-adapter.js';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';

/** Tries a calendar account: it looks for the first calendar. */
export function calendarTester(parts: AccountParts): AccountTester<'calendar'> {
  return {
    attempt: (account) =>
      httpsAttempt(parts, calendarAccount, account, async ({ talk, endpoint }) => {
        const { target, name } = await findCalendar(talk, endpoint.target, 'primary');
        return { calendar: { path: target, name } };
      }),
  };
}

import type { AccountTester } from '../account/test-adapter.js';
import type { AccountParts } from '../account/account-adapter.js';
import { accountTester } from '../account/account-tester.js';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';

/** Tries an account of a calendar: its first calendar is looked for. */
export function calendarTester(parts: AccountParts): AccountTester<'calendar'> {
  return accountTester(parts, {
    ...calendarAccount,
    probe: async (talk, endpoint) => {
      const { target, name } = await findCalendar(talk, endpoint.target, 'primary');
      return { calendar: { path: target, name } };
    },
  });
}

import type { Database } from 'better-sqlite3';
import type { AccountStore } from '../accounts/store.js';
import { createAccountTestAdapter } from '../accounts/test-adapter.js';
import { SentTokens } from '../accounts/sent-tokens.js';
import type { Clock } from '../clock.js';
import type { Dialer } from '@subluminal/egress';
import { createApiCallAdapter } from '../services/api-call/api-call-adapter.js';
import { calendarFetch } from '../services/calendar/calendar-fetch.js';
import { calendarTester } from '../services/calendar/calendar-tester.js';
import { calendarCreate, calendarUpdate } from '../services/calendar/calendar-write.js';
import { claimAdapter } from '../services/finance/claim-adapter.js';
import { financeAdapter } from '../services/finance/finance-adapter.js';
import { financeTester } from '../services/finance/finance-tester.js';
import { healthAdapter } from '../services/health/health-adapter.js';
import { healthTester } from '../services/health/health-tester.js';
import { emailAdapters, emailTester } from '../services/email/adapter.js';
import type { Recorder } from '../recording/recorder.js';
import type { Allowlist } from '../security/allowlist.js';
import type { ServiceAdapter } from '../services/service-adapter.js';

/** What adapters share. */
export interface ServiceParts {
  /** Opens every connection of every adapter. */
  readonly dialer: Dialer;
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly db: Database;
  readonly allowlist: Allowlist;
  readonly recorder: Recorder;
}

/** The adapters of this version, one an action. */
export function composeAdapters(parts: ServiceParts): readonly ServiceAdapter[] {
  const testers = [calendarTester(parts), financeTester(parts), healthTester(parts), emailTester(parts)];
  return [
    calendarFetch(parts),
    calendarCreate(parts),
    calendarUpdate(parts),
    financeAdapter(parts),
    healthAdapter(parts),
    createApiCallAdapter(parts),
    createAccountTestAdapter(parts.accounts, testers),
    claimAdapter({ ...parts, tokens: new SentTokens(parts.db, parts.clock) }),
    ...emailAdapters(parts),
  ];
}

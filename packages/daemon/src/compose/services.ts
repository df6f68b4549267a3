import type { Database } from 'better-sqlite3';
import {
  type AccountStore,
  type Allowlist,
  type Clock,
  type Recorder,
  SentTokens,
  type ServiceAdapter,
} from '@subluminal/gateway';
import {
  calendarCreate,
  calendarFetch,
  calendarTester,
  calendarUpdate,
  claimAdapter,
  createAccountTestAdapter,
  createApiCallAdapter,
  emailAdapters,
  emailTester,
  financeAdapter,
  financeTester,
  healthAdapter,
  healthTester,
} from '@subluminal/services';
import type { Dialer } from '@subluminal/egress';

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

import type { AccountStore } from '../accounts/store.js';
import { createAccountTestAdapter } from '../accounts/test-adapter.js';
import type { Clock } from '../clock.js';
import type { Dialer } from '../egress/dial.js';
import { createApiCallAdapter } from '../services/api-call-adapter.js';
import { emailAdapters, emailTester } from '../services/email/adapter.js';
import type { ServiceAdapter } from '../services/service-adapter.js';

/** What adapters share. */
export interface ServiceParts {
  /** Opens every connection of every adapter. */
  readonly dialer: Dialer;
  readonly accounts: AccountStore;
  readonly clock: Clock;
}

/** The adapters of this version, one an action. */
export function composeAdapters({ dialer, accounts, clock }: ServiceParts): readonly ServiceAdapter[] {
  const mail = { dialer, accounts, clock };
  return [
    createApiCallAdapter({ dialer }),
    createAccountTestAdapter(accounts, [emailTester(mail)]),
    ...emailAdapters(mail),
  ];
}

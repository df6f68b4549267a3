import type { ActionParts } from '../parts.js';
import { ownListeners } from './net.js';
import {
  type AccountStore,
  SentTokens,
  type ServiceAdapters,
  ServicePlaces,
  type ServicesActions,
  calendarCreate,
  calendarFetch,
  calendarTester,
  calendarUpdate,
  claimAdapter,
  createAccountTestAdapter,
  createApiCallAdapter,
  emailDraft,
  emailFetch,
  emailSend,
  emailTester,
  financeAdapter,
  financeTester,
  healthAdapter,
  healthTester,
  servicesActions,
} from '@subluminal/services';
import type { Database } from 'better-sqlite3';
import type { Clock, Recorder } from '@subluminal/gateway';
import type { Allowlist } from '@subluminal/net';
import type { Dialer } from '@subluminal/egress';

export interface ServiceParts {
  /** Opens every connection of every adapter. */
  readonly dialer: Dialer;
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly db: Database;
  readonly allowlist: Allowlist;
  readonly recorder: Recorder;
}

/** The adapter of every action on a service. */
export function composeAdapters(parts: ServiceParts): ServiceAdapters {
  const testers = {
    calendar: calendarTester(parts),
    finance: financeTester(parts),
    health: healthTester(parts),
    email: emailTester(parts),
    api: undefined,
  };
  return {
    'calendar.fetch': calendarFetch(parts),
    'calendar.create': calendarCreate(parts),
    'calendar.update': calendarUpdate(parts),
    'finance.fetch_transactions': financeAdapter(parts),
    'health.fetch': healthAdapter(parts),
    'service.api_call': createApiCallAdapter(parts),
    'account.test': createAccountTestAdapter(parts.accounts, testers),
    'account.claim': claimAdapter({ ...parts, tokens: new SentTokens(parts.db, parts.clock) }),
    'email.fetch': emailFetch(parts),
    'email.send': emailSend(parts),
    'email.draft': emailDraft(parts),
  };
}

/** The actions on accounts and services. */
export function composeServices(from: ActionParts): ServicesActions {
  const { settings, limiter, detector, clock, log, allowlist, resolver, panic } = from;
  return servicesActions({
    allowlist,
    resolver,
    panic,
    listeners: ownListeners(from),
    accounts: from.accounts,
    recorder: from.recorder,
    adapters: from.adapters,
    limiter,
    places: new ServicePlaces(),
    detector,
    egress: () => settings.now.egress,
    clock,
    log,
  });
}

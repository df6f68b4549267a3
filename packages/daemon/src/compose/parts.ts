import type { Dialer, Resolver } from '@subluminal/egress';
import type { Approvals, Questions } from '@subluminal/approvals';
import type { ProxyPlace, Served, Wing } from '@subluminal/gateway';
import type { Allowlist, OpenWorlds } from '@subluminal/net';
import type { AccountStore, ServiceAdapters } from '@subluminal/services';
import type { BudgetState } from '../disk/budget.js';
import type { ComposedInjection } from './inject.js';
import type { Records } from './records.js';
import type { Runs } from './runs.js';
import type { ComposedPlane } from './wings/plane.js';

/** Everything that actions work with. */
export interface ActionParts extends Records, Runs {
  readonly resolver: Resolver;
  readonly dialer: Dialer;
  readonly allowlist: Allowlist;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly accounts: AccountStore;
  readonly adapters: ServiceAdapters;
  readonly injection: ComposedInjection;
  readonly proxyPlace: ProxyPlace;
  readonly openWorlds: OpenWorlds;
  /** The port of the door for HTTP; null while it is shut. */
  readonly httpPort: () => number | null;
  /** The same of the page. */
  readonly uiPort: () => number | null;
  readonly connections: () => number;
  readonly served: () => readonly Served[];
  readonly budget: () => BudgetState;
  readonly plane: ComposedPlane;
  readonly wings: readonly Wing[];
  readonly stopSoon: () => void;
}

import { type Speaks } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { type Ledger } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import {
  AccountStore,
  type Allowlist,
  type AnomalyDetector,
  Approvals,
  type AwayParts,
  type BudgetState,
  type Clock,
  type EnrolmentLimit,
  type KeyRing,
  type LateResults,
  type LiveRuns,
  type Logger,
  type Notifier,
  type Panic,
  type PolicyHolder,
  type ProxyPlace,
  type RandomBytes,
  type RateLimiter,
  type Recorder,
  type RejectionBuckets,
  type RunLifecycle,
  type RunPolicyStore,
  type RunRegistry,
  type RunSecrets,
  type RunTraffic,
  SecretStore,
  type Served,
  type Settings,
  type StartConfig,
  type ToolBook,
  ToolCalls,
  type ToolPins,
  type UpstreamStore,
} from '@subluminal/gateway';
import type { HttpOperateParts } from '@subluminal/remote';
import type { Dialer, Resolver } from '@subluminal/egress';
import type { ComposedInjection } from './inject.js';
import type { GatewayOptions } from './options.js';

/** What the pipeline is wired from. */
export interface PipelineFoundation {
  readonly options: Pick<GatewayOptions, 'adapters'>;
  /** One for everything that asks: what the system looks up at once is shared. */
  readonly resolver: Resolver;
  readonly config: StartConfig;
  readonly settings: Settings;
  readonly speaks: Speaks;
  readonly db: Database;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly log: Logger;
  readonly startedMs: number;
  readonly headsLog: string;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly late: LateResults;
  readonly rejections: RejectionBuckets;
  readonly keys: KeyRing;
  readonly policy: PolicyHolder;
  readonly registry: RunRegistry;
  readonly liveRuns: LiveRuns;
  readonly panic: Panic;
  readonly notifier: Pick<Notifier, 'tell'>;
  readonly runPolicies: RunPolicyStore;
  readonly lifecycle: RunLifecycle;
  readonly upstreams: UpstreamStore;
  readonly runSecrets: RunSecrets;
  readonly random: RandomBytes;
  readonly limiter: RateLimiter;
  readonly enrolments: EnrolmentLimit;
  readonly detector: AnomalyDetector;
  readonly away: AwayParts;
  readonly tools: ToolBook;
  readonly pins: ToolPins;
  readonly http: HttpOperateParts;
  readonly injection: ComposedInjection;
  readonly allowlist: Allowlist;
  readonly traffic: RunTraffic;
  readonly proxyPlace: ProxyPlace;
  readonly dialer: Dialer;
  readonly connections: () => number;
  readonly budget: () => BudgetState;
  readonly served: () => readonly Served[];
  readonly stopSoon: () => void;
}

/** What the stages and the handlers share, and nothing else uses. */
export interface Deciders {
  readonly allowlist: Allowlist;
  readonly detector: AnomalyDetector;
  readonly approvals: Approvals;
  readonly toolCalls: ToolCalls;
  readonly tools: ToolBook;
  readonly pins: ToolPins;
  readonly secrets: SecretStore;
  readonly accounts: AccountStore;
}

import { type Speaks } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { type Ledger } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import { AccountStore } from '../accounts/store.js';
import { ToolCalls } from '../calls/tool-calls.js';
import { type AwayParts } from '../away/actions.js';
import type { BudgetState } from '../budget/budget.js';
import type { Clock, RandomBytes } from '../clock.js';
import type { StartConfig } from '../config/in-force.js';
import type { Settings } from '../config/settings.js';
import type { Dialer, Resolver } from '@subluminal/egress';
import { type Logger } from '../logging/logger.js';
import { type HttpOperateParts } from '../operate/http.js';
import type { Notifier } from '../notify/notifier.js';
import type { PolicyHolder } from '../policy/holder.js';
import type { LateResults } from '../recording/late-results.js';
import type { Recorder } from '../recording/recorder.js';
import type { RejectionBuckets } from '../recording/rejections.js';
import type { EnrolmentLimit } from '../runs/enrolments.js';
import type { RunLifecycle } from '../runs/lifecycle.js';
import type { RunRegistry } from '../runs/registry.js';
import type { Panic } from '../panic/panic.js';
import type { Allowlist } from '../security/allowlist.js';
import type { AnomalyDetector } from '../anomaly/detector.js';
import { Approvals } from '../security/approvals.js';
import type { KeyRing } from '../security/keys.js';
import type { RateLimiter } from '../security/rate-limiter.js';
import type { RunSecrets } from '../secrets/run-secrets.js';
import { SecretStore } from '../secrets/store.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { RunPolicyStore } from '../store/run-policies.js';
import type { Served } from '../store/served.js';
import type { UpstreamStore } from '../store/upstreams.js';
import type { ToolBook } from '../tools/book.js';
import type { ToolPins } from '../tools/tool-pins.js';
import { type ProxyPlace } from '../net/proxy-place.js';
import type { RunTraffic } from '../net/run-traffic.js';
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

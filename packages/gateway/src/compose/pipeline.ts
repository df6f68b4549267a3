import { newId, type GatewayConfig, type Speaks } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { openLedgerReader, type Ledger } from '@subluminal/ledger';
import { listVerdict } from '@subluminal/policy';
import type { Database } from 'better-sqlite3';
import { accountHandlers } from '../accounts/operate.js';
import { AccountStore } from '../accounts/store.js';
import { ToolCalls } from '../calls/tool-calls.js';
import { handingSnapshots, spoolIngest, tellingOfTools, type AwayParts } from '../away/actions.js';
import type { BudgetState } from '../budget/budget.js';
import type { Clock, RandomBytes } from '../clock.js';
import type { Dialer } from '../egress/dial.js';
import { SystemResolver } from '../egress/resolve.js';
import { type Logger } from '../logging/logger.js';
import { allowHandlers } from '../operate/allow.js';
import { approvalHandlers } from '../operate/approvals.js';
import { runIngest } from '../ingest/run-ingest.js';
import { auditHandlers } from '../operate/audit.js';
import { gatewayHandlers } from '../operate/gateway.js';
import { hintHandlers } from '../operate/hints.js';
import { httpData, httpHandlers, type HttpOperateParts } from '../operate/http.js';
import { policyHandlers } from '../operate/policy.js';
import { explainHandlers } from '../operate/policy-explain.js';
import { allowlistStage } from '../pipeline/allowlist.js';
import type { Notifier } from '../notify/notifier.js';
import { anomalyStage } from '../pipeline/anomaly.js';
import { auditPendingStage } from '../pipeline/audit-pending.js';
import { auditResultStage } from '../pipeline/audit-result.js';
import { executeStage } from '../pipeline/execute.js';
import { ActionHandlers } from '../pipeline/handlers.js';
import { Pipeline } from '../pipeline/pipeline.js';
import { rateLimitStage } from '../pipeline/rate-limit.js';
import { schemaStage } from '../pipeline/schema.js';
import { signatureStage } from '../pipeline/signature.js';
import type { Stage } from '../pipeline/stage.js';
import type { PolicyHolder } from '../policy/holder.js';
import type { LateResults } from '../recording/late-results.js';
import type { Recorder } from '../recording/recorder.js';
import type { RejectionBuckets } from '../recording/rejections.js';
import type { EnrolmentLimit } from '../runs/enrolments.js';
import type { RunLifecycle } from '../runs/lifecycle.js';
import type { RunRegistry } from '../runs/registry.js';
import { runBegin, runEnd, runRead } from '../runs/run-actions.js';
import { panicHandlers } from '../panic/actions.js';
import type { Panic } from '../panic/panic.js';
import { stoppedStage } from '../pipeline/stopped.js';
import { messageDropped, upstreamBegin, upstreamEnd } from '../runs/upstream-actions.js';
import type { Allowlist } from '../security/allowlist.js';
import type { AnomalyDetector } from '../security/anomaly-detector.js';
import { Approvals } from '../security/approvals.js';
import type { KeyRing } from '../security/keys.js';
import type { RateLimiter } from '../security/rate-limiter.js';
import { secretHandlers } from '../secrets/operate.js';
import { ReleasePace } from '../secrets/pace.js';
import { secretsHeld, secretsInjected, secretsRelease } from '../secrets/release.js';
import type { RunSecrets } from '../secrets/run-secrets.js';
import { SecretStore } from '../secrets/store.js';
import { createServiceRegistry } from '../services/registry.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { RunPolicyStore } from '../store/run-policies.js';
import type { Served } from '../store/served.js';
import type { UpstreamStore } from '../store/upstreams.js';
import type { ToolBook } from '../tools/book.js';
import { PIN_LIMITS } from '../tools/limits.js';
import { toolsListed } from '../tools/listed.js';
import { toolHandlers } from '../tools/operate.js';
import { PinModes } from '../tools/pin-modes.js';
import type { ToolPins } from '../tools/tool-pins.js';
import { Turns } from '../tools/turns.js';
import { ServerClaims } from '../mcp-http/claims.js';
import { netConnect } from '../net/connect.js';
import { netEnd } from '../net/end.js';
import { OwnListeners } from '../net/own-listeners.js';
import { proxyTold, type ProxyPlace, type ProxyTold } from '../net/proxy-place.js';
import type { RunTraffic } from '../net/run-traffic.js';
import { httpReach } from '../mcp-http/reach.js';
import type { GatewayOptions } from './options.js';
import { composeAdapters } from './services.js';

/** What the pipeline is wired from. */
export interface PipelineFoundation {
  readonly options: Pick<GatewayOptions, 'resolver' | 'adapters'>;
  readonly config: GatewayConfig;
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
interface Deciders {
  readonly allowlist: Allowlist;
  readonly detector: AnomalyDetector;
  readonly approvals: Approvals;
  readonly toolCalls: ToolCalls;
  readonly tools: ToolBook;
  readonly pins: ToolPins;
  readonly secrets: SecretStore;
  readonly accounts: AccountStore;
}

/** Waiting approvals in all, and of one client. */
const MAX_APPROVALS = 1000;
const MAX_APPROVALS_PER_CLIENT = 50;

/** Wires the one road of every request: its stages in their order, and what each action does at the end of it. */
export function composePipeline(from: PipelineFoundation): Pipeline {
  const { config, db, clock, log, ledger, recorder, late, rejections } = from;
  const { tools, pins, runSecrets } = from;
  const secretKey = from.keys.deriveOwn('secret-store', '1');
  const secrets = new SecretStore(db, secretKey, clock, from.random);
  const deciders: Deciders = {
    tools,
    pins,
    secrets,
    accounts: new AccountStore({ db, secrets, runSecrets, clock }),
    allowlist: from.allowlist,
    detector: from.detector,
    approvals: new Approvals(db, clock, newId, {
      expiresAfterMs: config.approvals.expires_after_s * 1000,
      maxPending: MAX_APPROVALS,
      maxPendingPerClient: MAX_APPROVALS_PER_CLIENT,
      onAsked: ({ id, client, action, summary, expires_at: expiresAtMs }, { destination }) =>
        from.notifier.tell({
          event: 'approval_requested',
          id,
          client,
          action,
          summary,
          destination,
          expiresAtMs,
        }),
    }),
    toolCalls: new ToolCalls({
      policy: from.policy,
      lifecycle: from.lifecycle,
      recorder,
      tools: pins,
      timeoutOf: callTimeouts(config),
      limits: {
        maxInspectBytes: config.inspect.max_inspect_bytes,
        maxPreviewBytes: config.inspect.max_preview_bytes,
      },
    }),
  };
  const stages = composeStages(from, deciders, composeHandlers(from, deciders));
  return new Pipeline({ stages, ledger, recorder, late, rejections, clock, log });
}

/** A server's own time, else that of all. */
function callTimeouts({ calls, servers = {} }: GatewayConfig): (server: string) => number | undefined {
  const own = new Map(Object.entries(servers));
  return (server) => own.get(server)?.timeout_ms ?? calls?.timeout_ms;
}

function composeStages(
  from: PipelineFoundation,
  { allowlist, detector, approvals, toolCalls, accounts }: Deciders,
  handlers: ActionHandlers,
): readonly Stage[] {
  const { options, config, ledger, recorder, late, limiter, enrolments, clock, log } = from;
  const services = createServiceRegistry(
    options.adapters ?? composeAdapters({ dialer: from.dialer, accounts, clock }),
  );
  const resolver = options.resolver ?? new SystemResolver();
  const claims = new ServerClaims(from.paths.config);
  const {
    timeout_ms: timeoutMs,
    max_response_bytes: maxResponseBytes,
    max_redirects: maxRedirects,
  } = config.egress;
  return [
    schemaStage(from.speaks),
    signatureStage,
    stoppedStage(from.panic),
    allowlistStage({
      allowlist,
      services,
      resolver,
      listeners: new OwnListeners([() => doorPort(from.http), () => from.proxyPlace.port]),
      timeoutMs,
      mode: config.egress.mode,
      toolCalls,
      claims,
    }),
    rateLimitStage({ limiter, enrolments, traffic: from.traffic, clock }),
    anomalyStage({ detector, approvals }),
    auditPendingStage({ ledger, recorder, handlers, detector, approvals }),
    executeStage({ handlers, services, allowlist, panic: from.panic, log, maxResponseBytes }),
    auditResultStage({ recorder, late, clock, maxRedirects }),
  ];
}

function doorPort({ door }: HttpOperateParts): number | null {
  const { listening, port } = door.state;
  return listening ? port : null;
}

function composeHandlers(
  from: PipelineFoundation,
  { allowlist, detector, approvals, toolCalls, tools, pins, secrets, accounts }: Deciders,
): ActionHandlers {
  const { config, clock, recorder, policy, registry, lifecycle, liveRuns, runPolicies, keys, upstreams } =
    from;
  const proxy = (): ProxyTold | null => proxyTold(from.proxyPlace, config.egress.mode);
  const runParts = {
    registry,
    lifecycle,
    liveRuns,
    runPolicies,
    policy,
    keys,
    requireTicket: config.runs.require_ticket,
    proxy,
    stopped: () => (from.panic.current === undefined ? undefined : from.panic.ending),
  };
  const modes = new PinModes(config.tools.pin, config.tools.flag);
  const pinning = { book: tools, modes, recorder, turns: new Turns() };
  const operating = toolHandlers(pinning);
  const { runSecrets } = from;
  const pace = new ReleasePace(clock);
  const releasing = { configPath: from.paths.config, upstreams, store: secrets, runSecrets, pace };
  return new ActionHandlers({
    'tool.call.begin': toolCalls.begin,
    'tool.call.end': toolCalls.end,
    'run.begin': runBegin(runParts),
    'run.end': runEnd(runParts),
    'run.read': runRead,
    'run.ingest': runIngest({
      ledger: from.ledger,
      openReader: () => openLedgerReader(from.paths.ledgerDb),
      recorder,
      clock,
    }),
    'upstream.begin': handingSnapshots(from.away, upstreamBegin(upstreams, proxy)),
    'spool.ingest': spoolIngest(from.away),
    'upstream.end': upstreamEnd(upstreams, { recorder, clock }),
    'message.dropped': messageDropped,
    'secrets.release': secretsRelease(releasing),
    'secrets.injected': secretsInjected(releasing),
    'secrets.held': secretsHeld(releasing),
    ...secretHandlers({ store: secrets, recorder }),
    ...accountHandlers({ accounts, allowlist, recorder }),
    'tools.listed': tellingOfTools(
      from.away,
      toolsListed({
        clock,
        ...pinning,
        limits: PIN_LIMITS,
        onHeld: ({ run, ...held }) => from.notifier.tell({ event: 'tool_held', run: run.id, ...held }),
        hides: (run, server, tool) =>
          [policy.current.snapshot, run.policy?.snapshot].some(
            (snapshot) =>
              snapshot !== undefined && listVerdict(snapshot, run.identity, server, tool) === 'hide',
          ),
      }),
    ),
    ...operating,
    'tools.approve': tellingOfTools(from.away, operating['tools.approve']),
    'tools.forget': tellingOfTools(from.away, operating['tools.forget']),
    ...allowHandlers(allowlist, detector),
    ...approvalHandlers({ approvals, recorder, clock }),
    ...policyHandlers(policy),
    ...explainHandlers({ policy, registry, tools: pins, clock }),
    ...hintHandlers({
      policy,
      registry,
      recorder,
      clock,
      openReader: () => openLedgerReader(from.paths.ledgerDb),
    }),
    ...httpHandlers(from.http),
    'http.reach': httpReach,
    'net.connect': netConnect(from.traffic),
    'net.end': netEnd({ traffic: from.traffic, recorder, late: from.late, clock }),
    ...auditHandlers({
      paths: from.paths,
      ledger: from.ledger,
      headsLog: from.headsLog,
      recorder,
      clock,
      log: from.log,
      witnesses: {
        dialer: from.dialer,
        resolver: from.options.resolver ?? new SystemResolver(),
        timeoutMs: config.egress.timeout_ms,
      },
    }),
    ...panicHandlers(from.panic),
    ...gatewayHandlers({
      panic: from.panic,
      speaks: from.speaks,
      paths: from.paths,
      startedMs: from.startedMs,
      durability: config.durability,
      headsLog: from.headsLog,
      ledger: from.ledger,
      registry,
      policy,
      connections: from.connections,
      served: from.served,
      budget: from.budget,
      tools: () => ({ pin: config.tools.pin, ...tools.counts }),
      http: () => httpData(from.http),
      proxy: () => ({
        mode: config.egress.mode,
        port: from.proxyPlace.port,
        connections: from.traffic.openCount,
      }),
      stopSoon: from.stopSoon,
    }),
  });
}

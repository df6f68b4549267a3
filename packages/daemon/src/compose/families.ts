import type { GatewayConfig } from '@subluminal/core-types';
import { openLedgerReader, type LedgerReader } from '@subluminal/ledger';
import { listVerdict } from '@subluminal/policy';
import type { Dialer, Resolver } from '@subluminal/egress';
import { handingSnapshots, spoolIngest, tellingOfTools } from '@subluminal/away';
import {
  type AccountStore,
  type ServiceActions,
  type ServiceAdapters,
  ServicePlaces,
  accountAdd,
  accountList,
  accountRemove,
  serviceActions,
} from '@subluminal/services';
import {
  type ActionTable,
  Answering,
  type Approvals,
  type InspectLimits,
  Mutex,
  type ProxyPlace,
  type ProxyTold,
  ReleasePace,
  type Served,
  ServerClaims,
  Turns,
  type Wing,
  approvalsApprove,
  approvalsDeny,
  approvalsList,
  gatewayStatus,
  gatewayStop,
  hintsPromote,
  messageDropped,
  panicBegin,
  panicEnd,
  policyExplain,
  policyReload,
  policyShow,
  proxyTold,
  runBegin,
  runEnd,
  runIngest,
  runRead,
  runsList,
  secretsAdd,
  secretsBound,
  secretsHeld,
  secretsInjected,
  secretsKept,
  secretsList,
  secretsRelease,
  secretsRemove,
  secretsReveal,
  toolCallBegin,
  toolCallEnd,
  upstreamBegin,
  upstreamEnd,
  verbRefused,
} from '@subluminal/gateway';
import { type BudgetState, budgetData } from '../disk/budget.js';
import { auditAnchor, auditAnchored, auditCheckpoint } from '@subluminal/anchors';
import type { ComposedInjection } from './inject.js';
import type { Records } from './records.js';
import type { Runs } from './runs.js';
import {
  type Allowlist,
  HeaderRelease,
  OwnListeners,
  allowAdd,
  allowDeactivate,
  allowList,
  allowRemove,
  httpReach,
  netConnect,
  netEnd,
} from '@subluminal/net';
import { toolReads } from '@subluminal/anomaly';
import {
  PIN_LIMITS,
  PinModes,
  toolsApprove,
  toolsDiff,
  toolsForget,
  toolsList,
  toolsListed,
} from '@subluminal/tools';
import type { HttpActions } from '@subluminal/remote';

/** Everything that actions work with. */
export interface FamilyParts extends Records, Runs {
  readonly resolver: Resolver;
  readonly dialer: Dialer;
  readonly allowlist: Allowlist;
  readonly approvals: Approvals;
  readonly accounts: AccountStore;
  readonly adapters: ServiceAdapters;
  readonly injection: ComposedInjection;
  readonly proxyPlace: ProxyPlace;
  /** The port of the door for HTTP; null while it is shut. */
  readonly httpPort: () => number | null;
  readonly connections: () => number;
  readonly served: () => readonly Served[];
  readonly budget: () => BudgetState;
  readonly wings: readonly Wing[];
  readonly stopSoon: () => void;
}

/** Every action: those of the core, a family a function, and those of the wings. */
export function composeActions(from: FamilyParts, http: HttpActions): ActionTable {
  return {
    ...toolActions(from),
    ...serviceFamily(from),
    ...connectionActions(from),
    ...lifeActions(from),
    ...operateActions(from),
    ...readActions(from),
    ...http,
  };
}

type Table<K extends keyof ActionTable> = Pick<ActionTable, K>;

function toolActions(from: FamilyParts): Table<'tool.call.begin' | 'tool.call.end'> {
  const { settings, runSecrets, detector } = from;
  const limits = (): InspectLimits => ({
    valuesOf: runSecrets.valuesOf,
    maxInspectBytes: settings.now.inspect.max_inspect_bytes,
    maxPreviewBytes: settings.now.inspect.max_preview_bytes,
  });
  return {
    'tool.call.begin': toolCallBegin({
      policy: from.policy,
      lifecycle: from.lifecycle,
      recorder: from.recorder,
      tools: from.pins,
      reads: toolReads(detector, () => settings.now.anomaly),
      holdsSecret: (runId, text) => runSecrets.isIn(runId, text),
      timeoutOf: (server) => callTimeout(settings.now, server),
      limits,
    }),
    'tool.call.end': toolCallEnd(limits),
  };
}

/** A server's own time, else that of all. */
function callTimeout({ calls, servers = {} }: GatewayConfig, server: string): number | undefined {
  const own = Object.hasOwn(servers, server) ? servers[server] : undefined;
  return own?.timeout_ms ?? calls?.timeout_ms;
}

function serviceFamily(from: FamilyParts): ServiceActions {
  const { settings, limiter, detector, clock, log } = from;
  return serviceActions({
    ...reaching(from),
    adapters: from.adapters,
    limiter,
    places: new ServicePlaces(),
    detector,
    egress: () => settings.now.egress,
    clock,
    log,
  });
}

function connectionActions(from: FamilyParts): Table<'http.reach' | 'net.connect' | 'net.end'> {
  const { settings, detector, traffic, recorder, late, clock, paths } = from;
  const { headers, placeholders, secrets } = from.injection;
  const egress = (): GatewayConfig['egress'] => settings.now.egress;
  return {
    'http.reach': httpReach({
      ...reaching(from),
      claims: new ServerClaims(paths.config),
      headers,
      release: new HeaderRelease({ headers, store: secrets }),
      egress,
    }),
    'net.connect': netConnect({ ...reaching(from), placeholders, egress, detector, traffic, clock }),
    'net.end': netEnd({ traffic, detector, recorder, late, clock }),
  };
}

/** The parts by which an action with a destination is decided. */
function reaching({ allowlist, resolver, panic, httpPort, proxyPlace }: FamilyParts): {
  readonly allowlist: Allowlist;
  readonly resolver: Resolver;
  readonly panic: FamilyParts['panic'];
  readonly listeners: OwnListeners;
} {
  const listeners = new OwnListeners([httpPort, () => proxyPlace.port]);
  return { allowlist, resolver, panic, listeners };
}

type LifeAction =
  | 'run.begin'
  | 'run.end'
  | 'run.ingest'
  | 'verb.refused'
  | 'upstream.begin'
  | 'upstream.end'
  | 'message.dropped'
  | 'tools.listed'
  | 'spool.ingest'
  | 'secrets.release'
  | 'secrets.injected'
  | 'secrets.held'
  | 'panic.begin';

function lifeActions(from: FamilyParts): Table<LifeAction> {
  const { settings, clock, recorder, policy, registry, lifecycle, keys, upstreams, away, ledger } = from;
  const proxy = (): ProxyTold | null => proxyTold(from.proxyPlace, settings.now.egress.mode);
  const openReader = readerOf(from);
  const releasing = {
    configPath: from.paths.config,
    upstreams,
    store: from.injection.secrets,
    runSecrets: from.runSecrets,
    pace: new ReleasePace(clock),
    toldKey: keys.deriveOwn('told', '1'),
    placeholders: from.injection.placeholders,
    trust: from.injection.trust,
  };
  return {
    'run.begin': runBegin({
      registry,
      lifecycle,
      liveRuns: from.liveRuns,
      runPolicies: from.runPolicies,
      policy,
      keys,
      enrolments: from.enrolments,
      requireTicket: () => settings.now.runs.require_ticket,
      proxy,
      stopped: () => (from.panic.current === undefined ? undefined : from.panic.ending),
    }),
    'run.end': runEnd({ registry, lifecycle, openReader }),
    'run.ingest': runIngest({ ledger, openReader, recorder, clock, turns: loopTurns() }),
    'verb.refused': verbRefused(registry),
    'upstream.begin': handingSnapshots(
      away,
      upstreamBegin({
        upstreams,
        proxy,
        maxInspectBytes: () => settings.now.inspect.max_inspect_bytes,
        policy: () => policy.current.ref,
      }),
    ),
    'upstream.end': upstreamEnd(upstreams, { recorder, clock }),
    'message.dropped': messageDropped,
    'tools.listed': tellingOfTools(
      away,
      toolsListed({
        clock,
        loopTurns: loopTurns(),
        ...pinning(from),
        limits: PIN_LIMITS,
        onHeld: ({ run, ...held }) => from.notifier.tell({ event: 'tool_held', run: run.id, ...held }),
        hides: (run, server, tool) =>
          [policy.current.snapshot, run.policy?.snapshot].some(
            (snapshot) =>
              snapshot !== undefined && listVerdict(snapshot, run.identity, server, tool) === 'hide',
          ),
      }),
    ),
    'spool.ingest': spoolIngest(away),
    'secrets.release': secretsRelease(releasing),
    'secrets.injected': secretsInjected(releasing),
    'secrets.held': secretsHeld(releasing),
    'panic.begin': panicBegin(from.panic),
  };
}

type OperateAction =
  | 'gateway.stop'
  | 'panic.end'
  | 'allow.add'
  | 'allow.remove'
  | 'allow.deactivate'
  | 'approvals.approve'
  | 'approvals.deny'
  | 'policy.reload'
  | 'hints.promote'
  | 'tools.approve'
  | 'tools.forget'
  | 'secrets.add'
  | 'secrets.remove'
  | 'secrets.reveal'
  | 'secrets.kept'
  | 'secrets.bound'
  | 'account.add'
  | 'account.remove'
  | 'audit.anchored'
  | 'audit.anchor';

function operateActions(from: FamilyParts): Table<OperateAction> {
  const { allowlist, recorder, clock, policy, registry, away, ledger, settings } = from;
  const { secrets } = from.injection;
  const answering = new Answering({ approvals: from.approvals, recorder, clock });
  const accounts = { accounts: from.accounts, allowlist, recorder };
  const { ledgerDb } = from.paths;
  const remembering = { headsLog: from.headsLog, recorder, clock, log: from.log, ledgerDb };
  const { dialer, resolver } = from;
  const witnesses = { dialer, resolver, timeoutMs: () => settings.now.egress.timeout_ms };
  const pins = pinning(from);
  return {
    'gateway.stop': gatewayStop(from.stopSoon),
    'panic.end': panicEnd(from.panic),
    'allow.add': allowAdd(allowlist, from.detector),
    'allow.remove': allowRemove(allowlist),
    'allow.deactivate': allowDeactivate(allowlist),
    'approvals.approve': approvalsApprove(answering),
    'approvals.deny': approvalsDeny(answering),
    'policy.reload': policyReload(policy),
    'hints.promote': hintsPromote({ policy, registry, recorder, clock, openReader: readerOf(from) }),
    'tools.approve': tellingOfTools(away, toolsApprove(pins)),
    'tools.forget': tellingOfTools(away, toolsForget(pins.book, pins.turns)),
    'secrets.add': secretsAdd(secrets, recorder),
    'secrets.remove': secretsRemove(secrets, recorder),
    'secrets.reveal': secretsReveal(secrets, recorder),
    'secrets.kept': secretsKept(recorder),
    'secrets.bound': secretsBound(recorder),
    'account.add': accountAdd(accounts),
    'account.remove': accountRemove(accounts),
    'audit.anchored': auditAnchored(remembering),
    'audit.anchor': auditAnchor({ ...remembering, ledger, witnesses }),
  };
}

type ReadAction =
  | 'gateway.status'
  | 'runs.list'
  | 'run.read'
  | 'allow.list'
  | 'approvals.list'
  | 'policy.show'
  | 'policy.explain'
  | 'tools.list'
  | 'tools.diff'
  | 'secrets.list'
  | 'account.list'
  | 'audit.checkpoint';

function readActions(from: FamilyParts): Table<ReadAction> {
  const { allowlist, policy, registry, pins, clock, ledger, settings, tools } = from;
  return {
    'gateway.status': gatewayStatus({
      panic: from.panic,
      speaks: from.speaks,
      paths: from.paths,
      startedMs: from.startedMs,
      durability: from.config.durability,
      headsLog: from.headsLog,
      ledger,
      registry,
      policy,
      connections: from.connections,
      served: from.served,
      budget: () => budgetData(from.budget()),
      tools: () => ({ pin: settings.now.tools.pin, ...tools.counts }),
      config: () => settings.state,
      wings: () => from.wings,
    }),
    'runs.list': runsList(registry),
    'run.read': runRead,
    'allow.list': allowList(allowlist),
    'approvals.list': approvalsList(from.approvals),
    'policy.show': policyShow(policy),
    'policy.explain': policyExplain({ policy, registry, tools: pins, clock }),
    'tools.list': toolsList(tools, from.pinModes),
    'tools.diff': toolsDiff(tools),
    'secrets.list': secretsList(from.injection.secrets),
    'account.list': accountList(from.accounts, allowlist),
    'audit.checkpoint': auditCheckpoint(ledger, from.paths.ledgerDb),
  };
}

function pinning({ tools: book, pinModes: modes, pinTurns: turns, recorder }: FamilyParts): {
  readonly book: FamilyParts['tools'];
  readonly modes: PinModes;
  readonly turns: Mutex;
  readonly recorder: FamilyParts['recorder'];
} {
  return { book, modes, turns, recorder };
}

function readerOf({ paths }: FamilyParts): () => LedgerReader {
  return () => openLedgerReader(paths.ledgerDb);
}

function loopTurns(): Turns {
  return new Turns(() => performance.now());
}

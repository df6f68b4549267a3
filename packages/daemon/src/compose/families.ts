import { toolsStatus } from './wings/tools.js';
import type { AnchorsActions } from '@subluminal/anchors';
import type { ApprovalsActions } from '@subluminal/approvals';
import type { NetActions } from '@subluminal/net';
import { type ProjectsActions, projectsShown, projectsStatus } from '@subluminal/projects';
import type { PlaneActions } from '@subluminal/plane-wing';
import type { ServicesActions } from '@subluminal/services';
import type { ToolsActions } from '@subluminal/tools';
import { configOf } from './config.js';
import type { ActionParts } from './parts.js';
import type { GatewayConfig } from '@subluminal/core-types';
import { type LedgerReader, openLedgerReader } from '@subluminal/ledger';
import { handingSnapshots, spoolIngest } from '@subluminal/away';
import {
  type ActionTable,
  CallObjects,
  type Inspection,
  type ProxyTold,
  ReleasePace,
  Turns,
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
import { budgetData } from '../disk/budget.js';
import { thisMachine } from './machine.js';
import { ANOMALY_SECTION, toolReads } from '@subluminal/anomaly';
import type { HookActions } from '@subluminal/hooks-door';
import type { HttpActions } from '@subluminal/remote';
import type { UiActions } from '@subluminal/ui';
import { layerActions, type WorldActions } from '@subluminal/worlds-net';

/** The actions that the wings bring. */
export type WingActions = AnchorsActions &
  ApprovalsActions &
  HookActions &
  HttpActions &
  NetActions &
  PlaneActions &
  ProjectsActions &
  ServicesActions &
  ToolsActions &
  UiActions &
  WorldActions;

/** Every action: those of the core, a family a function, and those of the wings. */
export function composeActions(from: ActionParts, ofWings: WingActions): ActionTable {
  const objects = new CallObjects(thisMachine(from.upstreams, from.sight));
  return {
    ...toolActions(from, objects),
    ...lifeActions(from),
    ...operateActions(from),
    ...readActions(from, objects),
    ...layerActions(readerOf(from)),
    ...ofWings,
  };
}

type Table<K extends keyof ActionTable> = Pick<ActionTable, K>;

function toolActions(from: ActionParts, objects: CallObjects): Table<'tool.call.begin' | 'tool.call.end'> {
  const { settings, runSecrets, detector } = from;
  const inspection = (): Inspection => ({
    valuesOf: runSecrets.valuesOf,
    maxInspectBytes: settings.now.inspect.max_inspect_bytes,
    maxPreviewBytes: settings.now.inspect.max_preview_bytes,
  });
  return {
    'tool.call.begin': toolCallBegin({
      policy: from.policy,
      projects: from.projects,
      lifecycle: from.lifecycle,
      recorder: from.recorder,
      tools: from.plane.raising(from.pins),
      objects,
      questions: from.questions,
      reads: toolReads(detector, () => settings.of(ANOMALY_SECTION)),
      holdsSecret: (runId, text) => runSecrets.isIn(runId, text),
      timeoutOf: (server) => callTimeout(settings.now, server),
      inspection,
    }),
    'tool.call.end': toolCallEnd(inspection),
  };
}

/** A server's own time, else that of all. */
function callTimeout({ calls, servers = {} }: GatewayConfig, server: string): number | undefined {
  const own = Object.hasOwn(servers, server) ? servers[server] : undefined;
  return own?.timeout_ms ?? calls?.timeout_ms;
}

type LifeAction =
  | 'run.begin'
  | 'run.end'
  | 'run.ingest'
  | 'verb.refused'
  | 'upstream.begin'
  | 'upstream.end'
  | 'message.dropped'
  | 'spool.ingest'
  | 'secrets.release'
  | 'secrets.injected'
  | 'secrets.held'
  | 'panic.begin';

function lifeActions(from: ActionParts): Table<LifeAction> {
  const { settings, clock, recorder, policy, registry, lifecycle, keys, upstreams, away, ledger } = from;
  const proxy = (): ProxyTold | null => proxyTold(from.proxyPlace, settings.now.egress.mode);
  const openReader = readerOf(from);
  const releasing = {
    config: configOf(from.paths),
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
      projects: from.projects,
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
        projects: from.projects,
        proxy,
        maxInspectBytes: () => settings.now.inspect.max_inspect_bytes,
        policy: () => policy.current.ref,
      }),
    ),
    'upstream.end': upstreamEnd(upstreams, { recorder, clock }),
    'message.dropped': messageDropped,
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
  | 'policy.reload'
  | 'hints.promote'
  | 'secrets.add'
  | 'secrets.remove'
  | 'secrets.reveal'
  | 'secrets.kept'
  | 'secrets.bound';

function operateActions(from: ActionParts): Table<OperateAction> {
  const { recorder, clock, policy, registry } = from;
  const { secrets } = from.injection;
  return {
    'gateway.stop': gatewayStop(from.stopSoon),
    'panic.end': panicEnd(from.panic),
    'policy.reload': policyReload(policy),
    'hints.promote': hintsPromote({ policy, registry, recorder, clock, openReader: readerOf(from) }),
    'secrets.add': secretsAdd(secrets, recorder),
    'secrets.remove': secretsRemove(secrets, recorder),
    'secrets.reveal': secretsReveal(secrets, recorder),
    'secrets.kept': secretsKept(recorder),
    'secrets.bound': secretsBound(recorder),
  };
}

type ReadAction =
  | 'gateway.status'
  | 'runs.list'
  | 'run.read'
  | 'policy.show'
  | 'policy.explain'
  | 'secrets.list';

function readActions(from: ActionParts, objects: CallObjects): Table<ReadAction> {
  const { policy, registry, pins, clock, ledger, settings } = from;
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
      questions: () => ({
        waiting: from.questions.list().filter(({ state }) => state === 'pending').length,
        asked: settings.now.approvals.ask,
      }),
      served: from.served,
      budget: () => budgetData(from.budget()),
      config: () => settings.state,
      wings: () => [toolsStatus(from), projectsStatus(from.projects, registry), ...from.wings],
    }),
    'runs.list': runsList(registry),
    'run.read': runRead,
    'policy.show': policyShow({
      policy,
      projects: (asked) => projectsShown(from.projects, from.sight, asked),
    }),
    'policy.explain': policyExplain({
      policy,
      projects: from.projects,
      registry,
      tools: pins,
      objects,
      clock,
      questions: from.questions,
    }),
    'secrets.list': secretsList(from.injection.secrets),
  };
}

function readerOf({ paths }: ActionParts): () => LedgerReader {
  return () => openLedgerReader(paths.ledgerDb);
}

function loopTurns(): Turns {
  return new Turns(() => performance.now());
}

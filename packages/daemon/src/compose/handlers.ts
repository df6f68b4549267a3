import { openLedgerReader } from '@subluminal/ledger';
import { listVerdict } from '@subluminal/policy';
import {
  accountHandlers,
  ActionHandlers,
  allowHandlers,
  approvalHandlers,
  auditHandlers,
  explainHandlers,
  gatewayHandlers,
  handingSnapshots,
  HeaderRelease,
  hintHandlers,
  httpReach,
  messageDropped,
  Mutex,
  netConnect,
  netEnd,
  panicHandlers,
  PIN_LIMITS,
  PinModes,
  policyHandlers,
  proxyTold,
  type ProxyTold,
  ReleasePace,
  runBegin,
  runEnd,
  runIngest,
  runRead,
  secretHandlers,
  secretsHeld,
  secretsInjected,
  secretsRelease,
  spoolIngest,
  tellingOfTools,
  toolHandlers,
  toolsListed,
  Turns,
  upstreamBegin,
  upstreamEnd,
  verbRefused,
} from '@subluminal/gateway';
import { httpData, httpHandlers } from '@subluminal/remote';
import type { Deciders, PipelineFoundation } from './pipeline-parts.js';

/** What each action does at the end of the road. */
export function composeHandlers(
  from: PipelineFoundation,
  { allowlist, detector, approvals, toolCalls, tools, pins, secrets, accounts }: Deciders,
): ActionHandlers {
  const { config, settings, clock, recorder, policy, registry, lifecycle, liveRuns, runPolicies, keys } =
    from;
  const { upstreams } = from;
  const proxy = (): ProxyTold | null => proxyTold(from.proxyPlace, settings.now.egress.mode);
  const runParts = {
    registry,
    lifecycle,
    liveRuns,
    runPolicies,
    policy,
    keys,
    requireTicket: () => settings.now.runs.require_ticket,
    proxy,
    openReader: () => openLedgerReader(from.paths.ledgerDb),
    stopped: () => (from.panic.current === undefined ? undefined : from.panic.ending),
  };
  const modes = new PinModes(() => settings.now.tools);
  const pinning = { book: tools, modes, recorder, turns: new Mutex() };
  const operating = toolHandlers(pinning);
  const { runSecrets } = from;
  const pace = new ReleasePace(clock);
  const { placeholders, trust } = from.injection;
  const releasing = {
    configPath: from.paths.config,
    upstreams,
    store: secrets,
    runSecrets,
    pace,
    toldKey: keys.deriveOwn('told', '1'),
    placeholders,
    trust,
  };
  return new ActionHandlers({
    'tool.call.begin': toolCalls.begin,
    'tool.call.end': toolCalls.end,
    'run.begin': runBegin(runParts),
    'run.end': runEnd(runParts),
    'run.read': runRead,
    'verb.refused': verbRefused,
    'run.ingest': runIngest({
      ledger: from.ledger,
      openReader: () => openLedgerReader(from.paths.ledgerDb),
      recorder,
      clock,
      turns: new Turns(() => performance.now()),
    }),
    'upstream.begin': handingSnapshots(
      from.away,
      upstreamBegin(
        upstreams,
        proxy,
        () => settings.now.inspect.max_inspect_bytes,
        () => policy.current.ref,
      ),
    ),
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
        loopTurns: new Turns(() => performance.now()),
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
    'http.reach': httpReach(new HeaderRelease({ headers: from.injection.headers, store: secrets })),
    'net.connect': netConnect(from.traffic),
    'net.end': netEnd({ traffic: from.traffic, detector, recorder, late: from.late, clock }),
    ...auditHandlers({
      paths: from.paths,
      ledger: from.ledger,
      headsLog: from.headsLog,
      recorder,
      clock,
      log: from.log,
      witnesses: {
        dialer: from.dialer,
        resolver: from.resolver,
        timeoutMs: () => settings.now.egress.timeout_ms,
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
      tools: () => ({ pin: settings.now.tools.pin, ...tools.counts }),
      http: () => httpData(from.http),
      proxy: () => ({
        mode: settings.now.egress.mode,
        port: from.proxyPlace.port,
        connections: from.traffic.openCount,
      }),
      config: () => settings.state,
      stopSoon: from.stopSoon,
    }),
  });
}

import { randomBytes } from 'node:crypto';
import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isSublError, newId, PROTOCOL, SublError, type GatewayConfig } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { openLedgerReader, type SweepMemory } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import { composeAway } from '../away/compose.js';
import { Budget } from '../budget/budget.js';
import { BudgetGate } from '../budget/gate.js';
import { measureUse } from '../budget/measure.js';
import { loadConfig, requireConfig } from '../config/load.js';
import { Dialer } from '../egress/dial.js';
import { readExtraCas } from '../egress/extra-cas.js';
import { Gateway } from '../gateway.js';
import { removeGatewayFile, writeGatewayFile } from '../home/gateway-file.js';
import { writeKeyFiles } from '../home/key-files.js';
import { openHomeLedger } from '../home/ledger.js';
import { checkHeadsLog } from '../home/rehearse.js';
import { prepareHome } from '../home/prepare.js';
import { DEFAULT_PEER_LIMITS, type PeerLimits } from '../ipc/limits.js';
import { createLogger, errorText, type Logger } from '../logging/logger.js';
import { LogFile } from '../logging/log-file.js';
import { acceptanceOf } from '../policy/accept.js';
import { Notifier } from '../notify/notifier.js';
import { startProgram } from '../notify/program.js';
import { ProxyPlace } from '../net/proxy-place.js';
import { PolicyHolder } from '../policy/holder.js';
import { StateKeeper } from '../policy/state-keeper.js';
import { PolicyWatch } from '../policy/watch.js';
import { LateResults } from '../recording/late-results.js';
import { Recorder } from '../recording/recorder.js';
import { RejectionBuckets } from '../recording/rejections.js';
import { Retention } from '../retention/retention.js';
import { EnrolmentLimit } from '../runs/enrolments.js';
import { RunLifecycle } from '../runs/lifecycle.js';
import { Reaper } from '../runs/reaper.js';
import { RunRegistry } from '../runs/registry.js';
import { restoreState } from '../runs/restore.js';
import { SweepKeeper } from '../runs/sweep-keeper.js';
import { UnheardEntries } from '../runs/unheard.js';
import { ProcessWatch } from '../runs/watch.js';
import { RunSecrets } from '../secrets/run-secrets.js';
import { Allowlist } from '../security/allowlist.js';
import { KeyRing } from '../security/keys.js';
import { AnomalyDetector } from '../security/anomaly-detector.js';
import { RateLimiter } from '../security/rate-limiter.js';
import { openGatewayDb } from '../store/gateway-db.js';
import { IdentityStore } from '../store/identity.js';
import { LimitStore } from '../store/limit-store.js';
import { RunPolicyStore } from '../store/run-policies.js';
import { LiveRuns } from '../store/live-runs.js';
import { Panic } from '../panic/panic.js';
import { PanicStore } from '../panic/panic-store.js';
import { PolicyStore } from '../store/policy-source.js';
import { ServedStore } from '../store/served.js';
import { SweepStore } from '../store/sweep-store.js';
import { UpstreamStore } from '../store/upstreams.js';
import { ToolBook } from '../tools/book.js';
import { PIN_LIMITS } from '../tools/limits.js';
import { PinStore } from '../tools/pin-store.js';
import { PinModes } from '../tools/pin-modes.js';
import { ToolPins } from '../tools/tool-pins.js';
import { VERSION } from '../version.js';
import { composeHttp } from './http.js';
import { composeTraffic, restoreTraffic } from './net.js';
import type { GatewayOptions } from './options.js';
import { composePipeline } from './pipeline.js';
import { composeProxy } from './proxy.js';

/** How long a run that ends waits for what it has under way; its service actions are aborted at once. */
const RUN_END_MS = 5000;

/**
 * Starts a gateway: the home is checked, `gateway.db` locked, the ledger opened (or begun), what a crash left in doubt
 * is closed, the keys are written, and only then the socket is bound.
 *
 * @throws SublError `home_missing`, `home_unsafe`, `path_too_long`, `already_running`, `config_invalid`,
 * `not_available`, `policy_invalid`, `policy_missing`, `policy_unsigned`, `policy_outdated`, `key_missing`, `ledger_missing`, `ledger_unsafe`, `ledger_corrupt`, `failed`.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const paths = homePaths(options.home);
  prepareHome(paths);
  const config = requireConfig(loadConfig(paths.config));
  const db = openGatewayDb(paths.gatewayDb);
  const logFile = new LogFile(paths.gatewayLog);
  const log = createLogger(
    config.log.level,
    options.echo === undefined ? [logFile] : [logFile, options.echo],
  );
  const undo: (() => Promise<void> | void)[] = [
    () => logFile.close(),
    () => void db.close(),
    // Who waits for the end of this process finds it by this file: it goes with the lock, and under it.
    () => removeGatewayFile(paths.gatewayFile),
  ];
  try {
    return await build({ options, config, db, log, paths, undo });
  } catch (error) {
    if (!isSublError(error)) {
      const stack = error instanceof Error ? error.stack : undefined;
      log.error('the gateway could not be started', { error: errorText(error), stack });
    }
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

interface Foundation {
  readonly options: GatewayOptions;
  readonly config: GatewayConfig;
  readonly db: Database;
  readonly log: Logger;
  readonly paths: ReturnType<typeof homePaths>;
  /** What has to be closed again, in the order in which it was opened. */
  readonly undo: (() => Promise<void> | void)[];
}

async function build({ options, config, db, log, paths, undo }: Foundation): Promise<Gateway> {
  const served = new ServedStore(db);
  const configuredHeadsLog = options.headsLog ?? config.heads_log;
  checkHeadsLog(configuredHeadsLog);
  const extraCas = [
    ...(config.egress.extra_ca_file === undefined ? [] : readExtraCas(config.egress.extra_ca_file)),
    ...(options.extraCas ?? []),
  ];
  const dialer = new Dialer({ extraCas });
  const clock = options.clock ?? Date.now;
  const random = options.random ?? randomBytes;
  const speaks = options.speaks ?? { protocol: PROTOCOL, version: VERSION };
  const startedMs = clock();
  const opened = await openHomeLedger({
    paths,
    identities: new IdentityStore(db),
    clock,
    random,
    version: speaks.version,
    durability: config.durability,
    segmentBytes: mebibytes(config.ledger.segment_mb),
    headsLog: configuredHeadsLog,
    writer: options.writer,
  });
  undo.push(() => opened.ledger.close());
  const ledger = options.wrapLedger?.(opened.ledger) ?? opened.ledger;
  const keys = new KeyRing(opened.identity.master, opened.identity.ledgerId);
  const gate = new BudgetGate();
  const runSecrets = new RunSecrets();
  const recorder = new Recorder(ledger, log, gate, runSecrets);
  await recorder.append({
    entries: [
      {
        type: 'gateway_start',
        ts: startedMs,
        runId: null,
        data: { pid: process.pid, version: speaks.version },
      },
    ],
  });

  const policy = new PolicyHolder({
    path: paths.policy,
    store: new PolicyStore(db),
    recorder,
    clock,
    log,
    acceptance: acceptanceOf(config.policy),
  });
  // It remembers how the file looks before the file is read: a change in between is seen as one.
  const policyWatch = new PolicyWatch(paths.policy, policy, log);
  await policy.start();
  const registry = new RunRegistry(options.runs);
  const liveRuns = new LiveRuns(db);
  const upstreams = new UpstreamStore(db);
  const tools = new ToolBook(new PinStore(db), PIN_LIMITS);
  const modes = new PinModes(config.tools.pin, config.tools.flag);
  const pins = new ToolPins(tools, modes);
  const away = composeAway({
    paths,
    keys,
    ledger,
    recorder,
    policy,
    registry,
    clock,
    random,
    log,
    tools: pins,
    maxPreviewBytes: config.inspect.max_preview_bytes,
  });
  const notifier = new Notifier({ argv: config.approvals.notify, start: startProgram, clock, log });
  undo.push(() => notifier.stop());
  const traffic = composeTraffic(config, clock);
  const proxyPlace = new ProxyPlace();
  const lifecycle = new RunLifecycle({
    onEnded: ({ id, identity }, { cause, message = '' }) => {
      runSecrets.forget(id);
      traffic.forget(id);
      if (cause === 'terminated')
        notifier.tell({ event: 'run_terminated', run: id, agent: identity.agent_id, reason: message });
    },
    beforeEnd: (run) => {
      away.snapshots.renewOf(run);
      return away.sweep.beforeEnd(run);
    },
    registry,
    liveRuns,
    recorder,
    ledger,
    policy,
    clock,
    random,
    hostId: opened.identity.hostId,
    log,
    deadlineMs: options.runEndMs ?? RUN_END_MS,
  });
  const limiter = new RateLimiter(config.rate_limits, clock);
  const detector = new AnomalyDetector(db, config.anomaly, clock);
  const enrolments = new EnrolmentLimit(config.runs.enrolments_per_minute, clock);
  const sweeps = new SweepStore(db);
  const limitStore = new LimitStore(db);
  const runPolicies = new RunPolicyStore(db);
  const reader = openLedgerReader(paths.ledgerDb);
  let memory: SweepMemory;
  try {
    memory = await restoreState({
      ledger,
      reader,
      recorder,
      registry,
      liveRuns,
      sweeps,
      limits: limitStore,
      runPolicies,
      upstreams,
      lifecycle,
      limiter,
      enrolments,
      detector,
      clock,
      log,
    });
    restoreTraffic(traffic, { reader, registry, config, clock });
  } finally {
    reader.close();
  }

  const panic = new Panic({
    store: new PanicStore(db),
    markPath: paths.panicMark,
    recorder,
    registry,
    lifecycle,
    clock,
    log,
  });
  await away.sweep.atStart();
  await panic.atStart();
  undo.push(away.snapshots.start());

  const openReader = () => openLedgerReader(paths.ledgerDb);
  undo.push(new UnheardEntries({ ledger, openReader, recorder, registry, clock, log }).start());
  undo.push(new StateKeeper({ ledger, registry, store: limitStore, clock, log }).start());
  undo.push(new SweepKeeper({ ledger, openReader, liveRuns, sweeps, memory, log }).start());

  const late = new LateResults({ ledger, recorder, log });
  undo.push(late.start());

  const reaper = new Reaper({ upstreams, registry, recorder, clock, log });
  const rejections = new RejectionBuckets(clock);
  const retention = new Retention({ ledger, clock, log, days: config.retention.preview_days });
  const { max_mb: maxMb } = config.ledger;
  const budget = new Budget({
    maxBytes: maxMb === 'unlimited' ? null : mebibytes(maxMb),
    measure: () => measureUse(paths.ledgerDb, join(paths.home, 'segments'), ledger.freeBytes()),
    gate,
    expire: (before) => retention.expire(before),
    clock,
    log,
  });
  const allowlist = new Allowlist(db, clock, newId);
  const http = composeHttp({
    db,
    config,
    paths,
    keys,
    registry,
    allowlist,
    recorder,
    clock,
    random,
    log,
    dialer,
    limits: options.http,
  });
  const proxy = composeProxy({
    db,
    config,
    paths,
    keys,
    registry,
    allowlist,
    recorder,
    dialer,
    traffic,
    place: proxyPlace,
    clock,
    log,
    limits: options.proxy,
  });
  const pipeline = composePipeline({
    http,
    dialer,
    traffic,
    proxyPlace,
    allowlist,
    options,
    config,
    speaks,
    db,
    paths,
    clock,
    log,
    startedMs,
    headsLog: opened.headsLog,
    ledger,
    recorder,
    late,
    rejections,
    keys,
    policy,
    registry,
    liveRuns,
    panic,
    notifier,
    runPolicies,
    lifecycle,
    upstreams,
    runSecrets,
    random,
    limiter,
    enrolments,
    detector,
    tools,
    pins,
    away,
    connections: () => gateway.connections,
    served: () => served.all(),
    budget: () => budget.state,
    stopSoon: () => gateway.stopSoon('gateway.stop'),
  });
  const limits: PeerLimits = {
    ...DEFAULT_PEER_LIMITS,
    maxFrameBytes: config.ipc.max_frame_bytes,
    maxUnauthenticated: config.ipc.max_unauthenticated,
    maxConnections: config.ipc.max_connections,
    maxRunConnections: config.ipc.max_run_connections,
    maxAllInFlight: config.ipc.max_in_flight,
    maxRunInFlight: config.ipc.max_run_in_flight,
    maxBytesInFlight: config.ipc.max_bytes_in_flight,
    maxRunBytes: config.ipc.max_run_bytes,
    ...options.limits,
  };
  const gateway = new Gateway({
    paths,
    keys,
    random,
    clock,
    monotonic: options.monotonic ?? ((): number => performance.now()),
    limits,
    registry,
    pipeline,
    ledger,
    recorder,
    rejections,
    reaper,
    log,
    processWatch: new ProcessWatch({ registry, lifecycle, reaper, log }),
    policyWatch,
    retention,
    budget,
    spools: away.sweep,
    door: {
      resume: async () => {
        await http.resume();
        await proxy.open();
      },
      stop: async () => {
        await Promise.all([http.stop(), proxy.stop()]);
      },
    },
    release: async () => {
      for (const step of undo.toReversed()) await step();
    },
  });
  // The socket of a gateway that died: the lock on gateway.db says that none lives.
  if (process.platform !== 'win32') removeSocket(paths.socket);
  writeKeyFiles(paths, keys);
  const [before] = served.all();
  served.note(speaks, startedMs);
  if (before !== undefined && before.version !== speaks.version) {
    log.info('another version served this home before', { version: before.version });
  }
  writeGatewayFile(paths.gatewayFile, speaks);
  await gateway.listen();
  log.info('gateway started', {
    pid: process.pid,
    version: speaks.version,
    ledger: ledger.ledgerId,
    seq: ledger.head().seq,
  });
  return gateway;
}

function mebibytes(count: number | 'unlimited'): number {
  return count === 'unlimited' ? Number.POSITIVE_INFINITY : count * 1_048_576;
}

function removeSocket(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) throw new SublError('home_unsafe', `\`${path}\` is a folder, and no socket`);
  unlinkSync(path);
}

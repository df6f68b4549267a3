import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SublError, isSublError, newId } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import { ACTIONS_OF, AccountStore, withUnavailable } from '@subluminal/services';
import { Budget } from '../disk/budget.js';
import { Retention } from '../disk/retention.js';
import { measureUse } from '../disk/measure.js';
import { Gateway } from '../gateway.js';
import { removeGatewayFile, writeGatewayFile } from '../home/gateway-file.js';
import { writeKeyFiles } from '../home/key-files.js';
import { prepareHome } from '../home/prepare.js';
import { composeHooks } from './wings/hooks.js';
import { composeHttp } from './wings/http.js';
import type { GatewayOptions } from './options.js';
import { composeInjection } from './inject.js';
import { composeApprovals, composeQuestions } from './wings/approvals.js';
import { configOf } from './config.js';
import { composePipeline } from './pipeline.js';
import { composePlane } from './wings/plane.js';
import { composeProxy } from './wings/proxy.js';
import { composeUi } from './wings/ui.js';
import { composeWorlds } from './wings/worlds.js';
import { connectionLimits, logBounds, peerLimits } from './limits.js';
import { mebibytes } from './mebibytes.js';
import { type Foundation, openRecords } from './records.js';
import { composeRuns } from './runs.js';
import { composeAdapters } from './wings/services.js';
import { openHomeDatabase } from '../home/database.js';
import {
  LogFile,
  ProcessWatch,
  ProxyPlace,
  Reaper,
  type Recorder,
  RejectionBuckets,
  ServedStore,
  Ticking,
  createLogger,
  errorText,
  loadConfig,
  openFileLimit,
  requireUsable,
  sweepTickets,
} from '@subluminal/gateway';
import { Allowlist, type OpenWorlds } from '@subluminal/net';
import { Dialer, SystemResolver, readExtraCas } from '@subluminal/egress';

const REJECTIONS_INTERVAL_MS = 1000;
const TICKETS_INTERVAL_MS = 60_000;
const QUESTIONS_INTERVAL_MS = 2000;

/**
 * Starts a gateway: the home is checked, `gateway.db` locked, the ledger opened (or begun), what a crash left
 * in doubt is closed, the keys are written, and only then the socket is bound.
 *
 * @throws SublError `home_missing`, `home_unsafe`, `path_too_long`, `already_running`, `config_invalid`,
 * `not_available`, `policy_invalid`, `policy_missing`, `policy_unsigned`, `policy_outdated`, `key_missing`,
 * `ledger_missing`, `ledger_incomplete`, `ledger_unsafe`, `ledger_corrupt`, `failed`.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const paths = homePaths(options.home);
  prepareHome(paths);
  const loaded = requireUsable(loadConfig(configOf(paths)));
  const db = openHomeDatabase(paths.gatewayDb);
  const logFile = new LogFile(paths.gatewayLog, logBounds(loaded.config));
  const log = createLogger(
    loaded.config.log.level,
    options.echo === undefined ? [logFile] : [logFile, options.echo],
  );
  const undo: (() => Promise<void> | void)[] = [
    () => logFile.close(),
    () => void db.close(),
    // Who waits for the end of this process finds it by this file: it goes with the lock, and under it.
    () => removeGatewayFile(paths.gatewayFile),
  ];
  try {
    return await build({ options, config: loaded.config, loaded, db, log, logFile, paths, undo });
  } catch (error) {
    if (!isSublError(error)) {
      const stack = error instanceof Error ? error.stack : undefined;
      log.error('the gateway could not be started', { error: errorText(error), stack });
    }
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

async function build(foundation: Foundation): Promise<Gateway> {
  const { options, config, db, log, logFile, paths, undo } = foundation;
  const served = new ServedStore(db);
  const extraCas = [
    ...(config.egress.extra_ca_file === undefined ? [] : readExtraCas(config.egress.extra_ca_file)),
    ...(options.extraCas ?? []),
  ];
  const dialer = new Dialer({ extraCas });
  const records = await openRecords(foundation);
  const { clock, random, speaks, startedMs, ledger, keys, gate, recorder, settings } = records;
  const runs = await composeRuns(records);
  const { registry, lifecycle, policyWatch, upstreams, away, traffic } = runs;
  const reaper = new Reaper({ upstreams, registry, recorder, clock, log });
  const rejections = new RejectionBuckets(clock);
  const retention = new Retention({ ledger, clock, log, days: () => settings.now.retention.preview_days });
  const budget = new Budget({
    maxBytes: () => {
      const { max_mb: maxMb } = settings.now.ledger;
      return maxMb === 'unlimited' ? null : mebibytes(maxMb);
    },
    measure: () => measureUse(paths.ledgerDb, join(paths.home, 'segments'), ledger.freeBytes()),
    gate,
    expire: (before) => retention.expire(before),
    clock,
    log,
  });
  const bounds = connectionLimits(config, openFileLimit());
  const proxyPlace = new ProxyPlace();
  const allowlist = new Allowlist(db, clock, newId);
  const { secrets, runSecrets } = records;
  const injection = composeInjection({
    db,
    settings,
    paths,
    keys,
    upstreams,
    secrets,
    runSecrets,
    extraCas,
    proxyPlace,
    clock,
    random,
    hasRuns: registry.size > 0,
  });
  const hooks = composeHooks({
    keys,
    settings,
    callerOf: (token, socket, door) => http.clients.callerOf(token, socket, door),
    openSession: (asker, onEnd) => gateway.openInner(asker, onEnd),
    isStopped: () => runs.panic.current !== undefined,
    recorder,
    clock,
    log,
  });
  const http = composeHttp({
    hooks: hooks.serving,
    db,
    settings,
    paths,
    keys,
    openSession: (asker, onEnd) => gateway.openInner(asker, onEnd),
    registry,
    allowlist,
    recorder,
    clock,
    random,
    log,
    dialer,
    secrets: injection.headers,
    bounds,
    limits: options.http,
  });
  const openWorlds: OpenWorlds = { termsOf: (id, runId) => worlds.open.termsOf(id, runId) };
  const proxy = composeProxy({
    db,
    config,
    settings,
    keys,
    openSession: (runId, onEnd) => gateway.openInner({ kind: 'gateway', runId }, onEnd),
    registry,
    allowlist,
    worlds: openWorlds,
    recorder,
    dialer,
    traffic,
    place: proxyPlace,
    injection,
    clock,
    log,
    bounds,
    limits: options.proxy,
  });
  const worlds = composeWorlds({
    settings,
    openSession: (runId, onEnd) => gateway.openInner({ kind: 'gateway', runId }, onEnd),
    registry,
    allowlist,
    policy: runs.policy,
    projects: runs.projects,
    home: runs.sight.home,
    carry: (client, asked) => proxy.handleWorld(client, asked),
    paths,
    openDoor: (door) => gateway.openDoor(door),
    http: { port: () => http.door.port, serveInWorld: http.serveInWorld },
    recorder,
    clock,
    random,
    log,
  });
  const plane = composePlane({
    db,
    tap: records.tap,
    ledger,
    registry,
    settings,
    policy: runs.policy,
    openReader: () => openLedgerReader(paths.ledgerDb),
    recorder,
    clock,
    log,
    fold: options.fold,
  });
  const ui = composeUi({
    paths,
    keys,
    settings,
    ledger,
    registry,
    openSession: (asker, onEnd) => gateway.openInner(asker, onEnd),
    recorder,
    clock,
    random,
    log,
  });
  const wings = [plane, hooks, http, proxy, worlds, ui];
  const approvals = composeApprovals(db, clock, runs.notifier, settings);
  const questions = composeQuestions({
    db,
    clock,
    recorder,
    registry,
    settings,
    policy: runs.policy,
    notifier: runs.notifier,
    openReader: () => openLedgerReader(paths.ledgerDb),
  });
  const accounts = new AccountStore({
    db,
    secrets: injection.secrets,
    runSecrets,
    clock,
    changed: (kind) => approvals.withdraw(ACTIONS_OF[kind]),
  });
  const adapters =
    options.adapters === undefined
      ? composeAdapters({ dialer, accounts, clock, db, allowlist, recorder })
      : withUnavailable(options.adapters);
  const pipeline = composePipeline(
    {
      ...records,
      ...runs,
      resolver: options.resolver ?? new SystemResolver(),
      dialer,
      allowlist,
      approvals,
      questions,
      accounts,
      adapters,
      injection,
      proxyPlace,
      openWorlds,
      httpPort: () => http.door.port ?? null,
      uiPort: () => ui.port() ?? null,
      connections: () => gateway.connections,
      served: () => served.all(),
      budget: () => budget.state,
      plane,
      wings,
      stopSoon: () => gateway.stopSoon('gateway.stop'),
      rejections,
    },
    { ...http.actions, ...hooks.actions, ...plane.actions, ...ui.actions, ...worlds.actions },
  );
  const gateway = new Gateway({
    paths,
    keys,
    random,
    clock,
    monotonic: options.monotonic ?? ((): number => performance.now()),
    limits: peerLimits(config, bounds, options),
    registry,
    frames: pipeline.frames,
    inner: pipeline.inner,
    ledger,
    recorder,
    rejections,
    reaper,
    log,
    routines: [
      new ProcessWatch({ registry, lifecycle, reaper, log }),
      policyWatch,
      settings,
      retention,
      budget,
      away.sweep,
      new Ticking('tickets', TICKETS_INTERVAL_MS, log, () => {
        const removed = sweepTickets(paths);
        if (removed > 0) log.debug('tickets of ended processes removed', { count: removed });
      }),
      new Ticking('questions', QUESTIONS_INTERVAL_MS, log, () => questions.sweep()),
      new Ticking('rejections', REJECTIONS_INTERVAL_MS, log, () => recordRejections(rejections, recorder)),
    ],
    wings,
    release: async () => {
      for (const step of undo.toReversed()) await step();
    },
  });
  let { mode } = settings.now.egress;
  settings.onChange(() => {
    log.setLevel(settings.now.log.level);
    logFile.setBounds(logBounds(settings.now));
    // Connections that another mode let through are decided again.
    if (mode !== settings.now.egress.mode) allowlist.renew();
    ({ mode } = settings.now.egress);
    for (const look of [budget.look(), retention.look()])
      look.catch((error: unknown) => log.error('a routine failed', { error: errorText(error) }));
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

function recordRejections(rejections: RejectionBuckets, recorder: Recorder): void {
  const dropped = rejections.drain();
  if (dropped !== undefined) recorder.note(dropped);
}

function removeSocket(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) throw new SublError('home_unsafe', `\`${path}\` is a folder, and no socket`);
  unlinkSync(path);
}

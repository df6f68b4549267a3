import type { ProcessIdentity } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import { type SweepMemory, openLedgerReader } from '@subluminal/ledger';
import { composeAway } from '@subluminal/away';
import {
  type Detector,
  EnrolmentLimit,
  type FileWatch,
  LateResults,
  LimitStore,
  LiveRuns,
  Mutex,
  Panic,
  PanicStore,
  PolicyHolder,
  PolicyStore,
  RateLimiter,
  RunLifecycle,
  RunPolicyStore,
  RunRegistry,
  LimitKeeper,
  SweepKeeper,
  SweepStore,
  UnheardEntries,
  UpstreamStore,
  acceptanceOf,
  restoreState,
  tellRunsOfPolicy,
  watchPolicy,
} from '@subluminal/gateway';
import { composeNotices, type Notices } from './wings/notify.js';
import { composeAnomalies } from './wings/anomaly.js';
import { composeProjects, projectSight } from './wings/projects.js';
import { composeTraffic, restoreTraffic } from './traffic.js';
import type { Records } from './records.js';
import { type RunTraffic, lateEndEntry } from '@subluminal/net';
import type { Projects, ProjectSight } from '@subluminal/projects';
import { PIN_LIMITS, PinModes, PinStore, ToolBook, ToolPins, TOOLS_SECTION } from '@subluminal/tools';

/** How long a run that ends waits for what it has under way; its service actions are aborted at once. */
const RUN_END_MS = 5000;

/** What runs live by: their policy, their tools, what they have used, and what ends them. */
export interface Runs {
  readonly policy: PolicyHolder;
  readonly policyWatch: FileWatch;
  readonly registry: RunRegistry;
  readonly liveRuns: LiveRuns;
  readonly upstreams: UpstreamStore;
  readonly tools: ToolBook;
  readonly pins: ToolPins;
  readonly pinModes: PinModes;
  /** Changes of pins come one after the other. */
  readonly pinTurns: Mutex;
  readonly away: ReturnType<typeof composeAway>;
  readonly notifier: Notices;
  readonly traffic: RunTraffic;
  readonly lifecycle: RunLifecycle;
  readonly limiter: RateLimiter;
  readonly detector: Detector;
  readonly enrolments: EnrolmentLimit;
  readonly runPolicies: RunPolicyStore;
  readonly projects: Projects;
  readonly sight: ProjectSight;
  readonly panic: Panic;
  readonly late: LateResults;
}

/**
 * Loads the policy, brings back the runs that go on, and closes what a crash left in doubt. Throws as
 * `startGateway` does.
 */
export async function composeRuns(records: Records): Promise<Runs> {
  const { options, config, settings, db, log, paths, undo, clock, random, ledger, keys, hostId } = records;
  const { recorder, runSecrets } = records;
  const policy = new PolicyHolder({
    path: paths.policy,
    store: new PolicyStore(db),
    recorder,
    clock,
    log,
    acceptance: acceptanceOf(config.policy),
  });
  // It remembers how the file looks before the file is read: a change in between is seen as one.
  const policyWatch = watchPolicy(paths.policy, policy, log);
  const before = policy.current.ref.policy_hash;
  await policy.start();
  const sight = projectSight();
  const projects = composeProjects({ db, sight, recorder, clock, log });
  const registry = new RunRegistry(options.runs);
  const liveRuns = new LiveRuns(db);
  const upstreams = new UpstreamStore(db);
  const tools = new ToolBook(new PinStore(db), PIN_LIMITS);
  const pinModes = new PinModes(() => settings.of(TOOLS_SECTION));
  const pins = new ToolPins(tools, pinModes);
  const away = composeAway({
    paths,
    keys,
    ledger,
    recorder,
    policy,
    projects,
    registry,
    clock,
    random,
    log,
    tools: pins,
    maxPreviewBytes: () => settings.now.inspect.max_preview_bytes,
    valuesOf: runSecrets.valuesOf,
  });
  const notifier = composeNotices({ settings, clock, log, desktop: options.desktop });
  undo.push(() => notifier.stop());
  const traffic = composeTraffic(settings, clock);
  const anomalies = composeAnomalies({ db, settings, clock, log });
  const { detector } = anomalies;
  undo.push(anomalies.start());
  const lifecycle = new RunLifecycle({
    unusual: (run) => anomalies.counts(run),
    onEnded: (run, { cause, message = '' }) => {
      const { id, identity } = run;
      anomalies.ended(run);
      runSecrets.forget(id);
      traffic.forget(id);
      if (cause === 'terminated')
        notifier.tell({ event: 'run_terminated', run: id, agent: identity.agent_id, reason: message });
    },
    beforeEnd: async (run) => {
      const cut = traffic.cut(run.id);
      away.snapshots.renewOf(run);
      await away.sweep.beforeEnd(run);
      await cut;
    },
    lateEnd: (open) => {
      const end = traffic.lateEnd(open.runId, open.seq);
      return end === undefined ? undefined : lateEndEntry(open, end);
    },
    registry,
    liveRuns,
    recorder,
    ledger,
    policy,
    clock,
    random,
    hostId,
    procId: procIdOf(processIdentity(process.pid)),
    log,
    deadlineMs: options.runEndMs ?? RUN_END_MS,
  });
  const limiter = new RateLimiter(() => settings.now.rate_limits, clock);
  const enrolments = new EnrolmentLimit(() => settings.now.runs.enrolments_per_minute, clock);
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
      projects,
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
  runSecrets.restore(records.secrets);
  undo.push(tellRunsOfPolicy({ policy, registry, recorder, clock }, before));

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
  undo.push(new UnheardEntries({ ledger, openReader, recorder, registry, projects, clock, log }).start());
  undo.push(new LimitKeeper({ ledger, registry, store: limitStore, clock, log }).start());
  undo.push(new SweepKeeper({ ledger, openReader, liveRuns, sweeps, memory, log }).start());

  const late = new LateResults({ ledger, recorder, log });
  undo.push(late.start());
  return {
    policy,
    policyWatch,
    registry,
    liveRuns,
    upstreams,
    tools,
    pins,
    pinModes,
    pinTurns: new Mutex(),
    away,
    notifier,
    traffic,
    lifecycle,
    limiter,
    detector,
    enrolments,
    runPolicies,
    projects,
    sight,
    panic,
    late,
  };
}

/** As shims name theirs: the number of a process comes back, its start does not. */
function procIdOf(me: ProcessIdentity | undefined): string {
  return me === undefined ? String(process.pid) : `${me.pid}-${me.start}`;
}

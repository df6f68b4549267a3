import {
  type Clock,
  type KnownTools,
  type Logger,
  type PolicyHolder,
  type RunRegistry,
  type Settings,
  startTicking,
  type Wing,
} from '@subluminal/gateway';
import { PLANE_CLASSES } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import type { Ledger, LedgerReader } from '@subluminal/ledger';
import { withholding } from '@subluminal/policy';
import {
  Plane,
  PLANE_SECTION,
  type PlaneActions,
  planeActions,
  type PlaneParts,
} from '@subluminal/plane-wing';
import type { RecordTap } from '../../recording/record-tap.js';

/** How often what is known of agents is kept for the next process. */
const KEEP_MS = 5000;

/** The parts that the plane is wired from. */
export interface PlaneFoundation extends Pick<PlaneParts, 'db' | 'fold' | 'openReader' | 'recorder'> {
  readonly tap: RecordTap;
  readonly ledger: Pick<Ledger, 'head' | 'ledgerId'>;
  readonly registry: Pick<RunRegistry, 'live'>;
  readonly settings: Pick<Settings, 'of' | 'onChange'>;
  readonly policy: Pick<PolicyHolder, 'current' | 'onChange'>;
  readonly openReader: () => LedgerReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Follows the work of agents. It decides on no call: it tells rules of the policy how far the work is. */
export interface ComposedPlane extends Wing {
  readonly actions: PlaneActions;
  /** Adds the classes that the work of its agent gives a call to those of its tool. */
  raising(tools: KnownTools): KnownTools;
}

export function composePlane(from: PlaneFoundation): ComposedPlane {
  const { clock, db, fold, ledger, log, openReader, policy, recorder, registry, settings, tap } = from;
  const plane = new Plane({
    db,
    recorder,
    openReader,
    settings: () => settings.of(PLANE_SECTION),
    gateEffect: () => withholding(policy.current.snapshot, PLANE_CLASSES),
    namedAgentOf: (runId) => {
      const run = registry.live(runId);
      return run?.isNamed === true ? run.identity.agent_id : undefined;
    },
    isAlive: (runId) => {
      const run = registry.live(runId);
      return run !== undefined && isAlive(run.holder);
    },
    ledgerId: ledger.ledgerId,
    folderOf: (runId) => registry.live(runId)?.identity.workload?.repo_path ?? '',
    clock,
    monotonic: () => performance.now(),
    log,
    fold,
  });
  // Nothing is recorded between these two.
  plane.begin(ledger.head().seq);
  tap.tell((recorded) => plane.take(recorded));
  let stopTicking: () => void = () => undefined;
  return {
    name: 'plane',
    actions: planeActions(plane),
    raising: (tools) => ({
      factsOf: (server) => tools.factsOf(server),
      of: (server, tool, call) => {
        const known = tools.of(server, tool, call);
        const more = call === null ? [] : plane.classesOf(call.runId, call.payload);
        return more.length === 0 ? known : { ...known, raised: [...known.raised, ...more] };
      },
    }),
    status: () => plane.status(),
    start: () => {
      plane.lookAtGate();
      settings.onChange(() => plane.lookAtGate());
      policy.onChange(() => plane.lookAtGate());
      stopTicking = startTicking(
        KEEP_MS,
        () => undefined,
        () => plane.keep(),
      );
      return Promise.resolve();
    },
    stop: () => {
      stopTicking();
      tap.tell(undefined);
      plane.stop();
      return Promise.resolve();
    },
  };
}

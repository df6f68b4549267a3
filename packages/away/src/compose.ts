import type { FindValues } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { Ledger } from '@subluminal/ledger';
import type { Clock, RandomBytes } from '@subluminal/gateway';
import type { Logger } from '@subluminal/gateway';
import type { PolicyHolder } from '@subluminal/gateway';
import type { Projects } from '@subluminal/gateway';
import type { Recorder } from '@subluminal/gateway';
import type { RunRegistry } from '@subluminal/gateway';
import type { Run } from '@subluminal/gateway';
import type { KeyRing } from '@subluminal/gateway';
import type { KnownTools } from '@subluminal/gateway';
import type { AwayParts } from './actions.js';
import { SpoolCharges } from './charges.js';
import { SpoolFolder } from './folder.js';
import { Ingestion } from './ingest.js';
import { AwayKeys } from './keys.js';
import { Snapshots } from './snapshots.js';
import { SpoolSweep } from './sweep.js';

/** What the away part of a gateway is wired from. */
export interface AwayFoundation {
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly policy: PolicyHolder;
  readonly projects: Projects;
  readonly registry: RunRegistry;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly tools: KnownTools;
  /** The longest preview that the ledger keeps. */
  readonly maxPreviewBytes: () => number;
  /** Finds the secrets of a run's servers. */
  readonly valuesOf: (runId: string) => FindValues;
}

/** Wires what hands out snapshots and takes spools in. */
export function composeAway(from: AwayFoundation): AwayParts {
  const { paths, ledger, recorder, policy, projects, registry, clock, random, log, tools, maxPreviewBytes } =
    from;
  const keys = new AwayKeys(from.keys);
  const folder = new SpoolFolder(paths.awayDir);
  const charges = new SpoolCharges(policy, tools);
  const snapshots = new Snapshots({ keys, policy, projects, clock, random, log, tools, maxPreviewBytes });
  const onDistrust = (run: Run): void => snapshots.renewOf(run);
  const caughtUp = (run: Run): void => snapshots.renewOf(run);
  const ingestion = new Ingestion({
    keys,
    ledger,
    recorder,
    charges,
    onDistrust,
    clock,
    log,
    maxPreviewBytes,
    valuesOf: from.valuesOf,
  });
  const sweep = new SpoolSweep({ folder, ingestion, registry, recorder, caughtUp, clock, log });
  return { folder, ingestion, snapshots, sweep };
}

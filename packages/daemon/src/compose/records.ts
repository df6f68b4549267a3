import { randomBytes } from 'node:crypto';
import { PROTOCOL, type Speaks } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { Ledger } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import {
  BudgetGate,
  type Clock,
  HeldSecretStore,
  IdentityStore,
  KeyRing,
  type LeveledLogger,
  type LogFile,
  type RandomBytes,
  Recorder,
  RunSecrets,
  SecretStore,
  Settings,
  SettingsStore,
  type StartConfig,
  type UsableConfig,
  VERSION,
} from '@subluminal/gateway';
import { openHomeLedger } from '../home/ledger.js';
import { checkHeadsLog } from '../home/rehearse.js';
import { mebibytes } from './mebibytes.js';
import type { GatewayOptions } from './options.js';
import { configOf } from './config.js';
import { RecordTap } from '../recording/record-tap.js';

/** What has to be there before anything is decided. */
export interface Foundation {
  readonly options: GatewayOptions;
  /** Read at the start; the settings that change afterwards are those of `Settings`. */
  readonly config: StartConfig;
  readonly loaded: UsableConfig;
  readonly db: Database;
  readonly log: LeveledLogger;
  readonly logFile: LogFile;
  readonly paths: HomePaths;
  /** What has to be closed again, in the order in which it was opened. */
  readonly undo: (() => Promise<void> | void)[];
}

/** A foundation with its clock, and with the ledger that everything is recorded in. */
export interface Records extends Foundation {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly speaks: Speaks;
  readonly startedMs: number;
  readonly headsLog: string;
  readonly hostId: string;
  readonly ledger: Ledger;
  readonly keys: KeyRing;
  readonly gate: BudgetGate;
  readonly secrets: SecretStore;
  readonly runSecrets: RunSecrets;
  /** Tells what is recorded. */
  readonly tap: RecordTap;
  readonly recorder: Recorder;
  readonly settings: Settings;
}

/**
 * Opens the ledger, or begins it, derives the keys, and records that the gateway starts. Throws as
 * `startGateway` does.
 */
export async function openRecords(foundation: Foundation): Promise<Records> {
  const { options, config, loaded, db, log, paths, undo } = foundation;
  const configuredHeadsLog = options.headsLog ?? config.heads_log;
  checkHeadsLog(configuredHeadsLog);
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
  });
  undo.push(() => opened.ledger.close());
  const ledger = options.wrapLedger?.(opened.ledger) ?? opened.ledger;
  const keys = new KeyRing(opened.identity.master, opened.identity.ledgerId);
  const gate = new BudgetGate();
  const secrets = new SecretStore(db, keys.deriveOwn('secret-store', '1'), clock, random);
  const runSecrets = new RunSecrets(new HeldSecretStore(db), keys.deriveOwn('told', '1'));
  const tap = new RecordTap(ledger);
  const recorder = new Recorder(tap, log, gate, runSecrets);
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
  const file = configOf(paths);
  const settings = new Settings({
    file,
    loaded,
    store: new SettingsStore(db, file.form.schema),
    recorder,
    clock,
    log,
  });
  await settings.begin();
  const { hostId } = opened.identity;
  const { headsLog } = opened;
  return {
    ...foundation,
    clock,
    random,
    speaks,
    startedMs,
    headsLog,
    hostId,
    ledger,
    keys,
    gate,
    secrets,
    runSecrets,
    tap,
    recorder,
    settings,
  };
}

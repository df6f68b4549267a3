import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@subluminal/daemon';
import { isJsonObject } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { verifyLedger } from '@subluminal/ledger';
import { FaultControl, type FaultRule } from './control.js';
import { Disk, seeded } from './disk.js';
import { rowsOf } from './oracle.js';
import { promisesOf, readRecording, type Recorded } from './recording.js';
import { ShortRun } from './short-run.js';
import { FaultWorld } from './world.js';

/** Everything that a gateway did in two lives, the first of them on an empty home. */
export interface Recording {
  readonly root: string;
  readonly operations: readonly Recorded[];
}

export interface RecordOptions {
  readonly runs: number;
  readonly rules?: readonly FaultRule[];
  readonly config?: string;
}

/** Records a gateway that is stopped once in between. */
export async function record(
  library: string,
  { runs, rules = [], config = '' }: RecordOptions,
): Promise<Recording> {
  const control = new FaultControl();
  const calm =
    '[anomaly]\nburst = "flag"\n[rate_limits]\nglobal = 100000\n[rate_limits.actions]\n"service.api_call" = 100000\n';
  const world = new FaultWorld({ config: config + calm });
  try {
    await world.listen();
    control.set(rules);
    const file = join(control.folder, 'record');
    const env = { ...control.env(library, [world.root]), FAULT_RECORD: file };
    for (const part of [0, 1]) {
      const end = await world.start(env);
      if (end !== undefined) throw new Error(`the gateway does not start: ${end.stderr}`);
      const count = part === 0 ? 2 : runs;
      for (let n = 0; n < count; n += 1) await new ShortRun(world, `power-${part}-${n}`).finish();
      await world.stop();
    }
    const operations = readRecording(file).filter(({ path }) => !path.includes('/.probe-'));
    return { root: world.root, operations };
  } finally {
    await world.remove();
    control.remove();
  }
}

export interface PowerLossOptions {
  readonly seeds: readonly number[];
  /** Whether what was acknowledged has to survive: not with `durability = "process"`. */
  readonly keepsPromises: boolean;
}

/** What became of the power cuts. */
export interface PowerLossResult {
  readonly failures: readonly string[];
  /** How many answers had been given before the cuts, all together. */
  readonly promised: number;
}

/**
 * Cuts the power once for each seed, at a moment and with a loss that the seed decides, and starts the
 * gateway again.
 */
export async function cutPower(
  { root, operations }: Recording,
  { seeds, keepsPromises }: PowerLossOptions,
): Promise<PowerLossResult> {
  const moments = momentsOf(operations);
  const cuts = seeds
    .map((seed) => {
      const random = seeded(seed);
      // Half of them where keys and heads change hands: they are a small part of all that is written.
      const near = random() < 0.5 ? moments[Math.floor(random() * moments.length)] : undefined;
      const at = (near ?? Math.floor(random() * operations.length)) + Math.floor(random() * 8);
      return { seed, random, at: Math.min(at, operations.length) };
    })
    .toSorted((a, b) => a.at - b.at);
  const disk = new Disk([root, join(root, 'h')]);
  const acknowledged: string[] = [];
  const effects: string[] = [];
  const failures: string[] = [];
  let promised = 0;
  let done = 0;
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sub-p-'));
  try {
    for (const { seed, random, at } of cuts) {
      for (; done < at; done += 1) {
        const operation = operations[done];
        if (operation === undefined) break;
        disk.take(operation);
        const promises = promisesOf(operation);
        acknowledged.push(...promises.acknowledged);
        effects.push(...promises.effects);
      }
      promised += acknowledged.length;
      const target = join(scratch, String(seed));
      mkdirSync(join(target, 'h'), { recursive: true, mode: 0o700 });
      disk.cutPower(random, root, target);
      const wrong = await recovered(target, keepsPromises ? { acknowledged, effects } : undefined);
      if (wrong !== undefined) failures.push(`seed ${seed}, operation ${at}: ${wrong}`);
      rmSync(target, { recursive: true, force: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return { failures, promised };
}

/** Operations on keys and heads. */
function momentsOf(operations: readonly Recorded[]): number[] {
  return operations.flatMap(({ path, other }, at) => (/\/keys|heads\.log/.test(path + other) ? [at] : []));
}

/** Starts the gateway on what is left, and says what does not hold; undefined where all does. */
async function recovered(
  root: string,
  promised: { readonly acknowledged: readonly string[]; readonly effects: readonly string[] } | undefined,
): Promise<string | undefined> {
  const home = join(root, 'h');
  const headsLog = join(root, 'state', 'heads.log');
  try {
    const gateway = await startGateway({ home, headsLog });
    await gateway.stop('test');
    const { ledgerDb } = homePaths(home);
    const report = await verifyLedger(ledgerDb, { headsLog });
    if (report.exit !== 0)
      return `verify exits ${report.exit}: ${JSON.stringify(report.finding ?? report.reasons)}`;
    if (promised === undefined) return undefined;
    const rows = rowsOf(ledgerDb);
    const lost = promised.acknowledged.find((ref) => {
      const [seq, leaf] = ref.split('.');
      return rows[Number(seq) - 1]?.leaf !== leaf;
    });
    if (lost !== undefined) return `entry ${lost} was acknowledged and is gone`;
    const pending = new Set(
      rows.flatMap(({ type, data }) => {
        const req = data['req'];
        return type === 'action_pending' && req !== undefined && isJsonObject(req) ? [req['id']] : [];
      }),
    );
    const unrecorded = promised.effects.find((id) => !pending.has(id));
    return unrecorded === undefined ? undefined : `${unrecorded} was executed and is not recorded`;
  } catch (error) {
    return error instanceof Error ? `${Reflect.get(error, 'code')}: ${error.message}` : String(error);
  }
}

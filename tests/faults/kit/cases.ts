import { ERRNO, FaultControl, type FaultOp, type FaultRule } from './control.js';
import { broken, rowsOf } from './oracle.js';
import { ShortRun, type StepOutcome } from './short-run.js';
import { FaultWorld, pause } from './world.js';

/** One call of the run: the `nth` of that kind on a file of that name. */
export interface CallSite {
  readonly op: FaultOp;
  /** Glob over the absolute path, whatever the folder, the process and the drafts are called. */
  readonly path: string;
  readonly nth: number;
  readonly phase: Phase;
}

/** When a call happens: before the gateway serves, while it serves, or after it was asked to stop. */
export type Phase = 'start' | 'run' | 'stop';

/** What a case came to; empty `wrong` is what all of them must have. */
export interface CaseResult {
  readonly wrong: string[];
  readonly outcomes: readonly StepOutcome[];
  /** How the gateway under the fault ended where it did before it was asked to. */
  readonly died: string | undefined;
  /** How often a rule of the fault library acted; a run may take another way and never come by the call. */
  readonly acted: number;
}

const RUN_END_MS = 20_000;

/** How long a gateway that answers no more may take to be seen as ended. */
const DEATH_MS = 5000;

/**
 * Where the start measures the disk: what fails there fails the start, and it happens a varying number of
 * times.
 */
const PROBE = '/.probe-';

/**
 * Every change that a short run makes to the file system, from the first start on an empty home to the
 * shutdown.
 */
export async function enumerateCalls(library: string): Promise<CallSite[]> {
  const control = new FaultControl();
  const world = new FaultWorld();
  try {
    await world.listen();
    const end = await world.start(control.env(library, world.watched));
    if (end !== undefined) throw new Error(`the gateway does not start: ${end.stderr}`);
    const started = control.seen().length;
    const run = new ShortRun(world, 'case');
    await run.once();
    const served = control.seen().length;
    const code = (await world.stop())?.code;
    const wrong = await broken(world, run.outcomes);
    if (code !== 0 || wrong.length > 0) throw new Error(`without a fault: exit ${code}, ${wrong.join('; ')}`);
    return sitesOf(control, world.root, (at) => (at < started ? 'start' : at < served ? 'run' : 'stop'));
  } finally {
    await world.remove();
    control.remove();
  }
}

function sitesOf(control: FaultControl, root: string, phaseOf: (at: number) => Phase): CallSite[] {
  const counts = new Map<string, number>();
  return control.seen().flatMap(({ op, path }, at) => {
    if (path.includes(PROBE)) return [];
    const glob = `*${path.slice(root.length).replace(/\.new-[0-9a-f]+/, '.new-*')}`;
    const nth = (counts.get(`${op} ${glob}`) ?? 0) + 1;
    counts.set(`${op} ${glob}`, nth);
    return [{ op, path: glob, nth, phase: phaseOf(at) }];
  });
}

/** Of each phase the first call of its kind on its file. */
export function oneOfEach(sites: readonly CallSite[]): CallSite[] {
  const known = new Set<string>();
  return sites.filter(({ phase, op, path }) => {
    const name = `${phase} ${op} ${path}`;
    const isNew = !known.has(name);
    known.add(name);
    return isNew;
  });
}

/** How a call goes wrong, as rules say it. */
export type FaultMode = Pick<FaultRule, 'action' | 'argument'>;

export const NOT_PERSISTED: FaultMode = { action: 'fail', argument: ERRNO.EIO };
export const NOT_ACKNOWLEDGED: FaultMode = { action: 'lie', argument: ERRNO.EIO };

/** Does the short run with one call going wrong, then without faults to its end, and asks the oracle. */
export function runCase(library: string, site: CallSite, mode: FaultMode): Promise<CaseResult> {
  return survive((world, control) => {
    control.set([{ ...mode, ops: [site.op], path: site.path, first: site.nth, last: site.nth }]);
    return { env: control.env(library, world.watched), before: [] };
  });
}

/** How a gateway is started so that something goes wrong once. */
export interface Armed {
  readonly env: Record<string, string>;
  readonly before: readonly string[];
}

/** The short run in a gateway that `arm` has prepared, with a start that is not where that one ended. */
export async function survive(arm: (world: FaultWorld, control: FaultControl) => Armed): Promise<CaseResult> {
  const control = new FaultControl();
  const world = new FaultWorld();
  const run = new ShortRun(world, 'case');
  const wrong: string[] = [];
  let died: string | undefined;
  let acted = 0;
  try {
    await world.listen();
    const { env, before } = arm(world, control);
    const end = await world.start(env, before);
    if (end === undefined) await run.once();
    // Its tracer lets go of its output some time after it is dead.
    if (run.isUnheard) await Promise.race([world.gateway?.ended, pause(DEATH_MS)]);
    if (world.gateway === undefined)
      died = end === undefined ? 'while it ran' : `at its start: ${end.stderr.trim()}`;
    if (world.gateway === undefined) await restart(world, wrong);
    if (wrong.length === 0) {
      await run.finish();
      await runEnded(world);
      const stopped = await world.stop();
      if (stopped?.code !== 0) {
        died = `at its stop: ${stopped?.signal ?? stopped?.code} ${stopped?.stderr.trim()}`;
        await restart(world, wrong);
        const code = (await world.stop())?.code;
        if (code !== 0) wrong.push(`without a fault it stops with ${code}`);
      }
      wrong.push(...(await broken(world, run.outcomes)));
    }
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  } finally {
    acted = control.acted;
    await world.remove();
    control.remove();
  }
  return { wrong, outcomes: run.outcomes, died, acted };
}

/**
 * An end of the run that could not be recorded is tried again by the gateway, which takes a second or two.
 */
async function runEnded({ paths }: FaultWorld): Promise<void> {
  const until = performance.now() + RUN_END_MS;
  while (!rowsOf(paths.ledgerDb).some(({ type }) => type === 'run_end')) {
    if (performance.now() > until) throw new Error('the end of the run is never recorded');
    await pause(100);
  }
}

async function restart(world: FaultWorld, wrong: string[]): Promise<void> {
  world.disconnect();
  const end = await world.start();
  if (end !== undefined) wrong.push(`it does not start again: ${end.stderr.trim()}`);
}

/**
 * The faults of all these calls one after the other in a gateway that goes on serving. After each it has to
 * recover by itself: it is never started anew.
 */
export async function runLive(
  library: string,
  sites: readonly CallSite[],
  modes: readonly FaultMode[],
): Promise<CaseResult> {
  const control = new FaultControl();
  // Many short runs in a few seconds: a burst is not to wait for an operator here.
  const world = new FaultWorld({
    config: '[anomaly]\nburst = "flag"\n[rate_limits.actions]\n"service.api_call" = 500\n',
  });
  const wrong: string[] = [];
  const outcomes: StepOutcome[] = [];
  let acted = 0;
  try {
    await world.listen();
    const end = await world.start(control.env(library, world.watched));
    if (end !== undefined) throw new Error(`the gateway does not start: ${end.stderr}`);
    const pid = world.gateway?.child.pid;
    for (const [at, { site, mode }] of pairs(sites, modes).entries()) {
      const run = new ShortRun(world, `live-${at}`);
      control.set([{ ...mode, ops: [site.op], path: site.path, first: 1, last: 1 }]);
      await run.once();
      control.clear();
      await run.finish().catch((error: unknown) => {
        throw new Error(`${site.op} ${site.path} ${mode.action}: ${String(error)}`);
      });
      outcomes.push(...run.outcomes);
      if (world.gateway?.child.pid !== pid) throw new Error(`${site.op} ${site.path} ends the gateway`);
    }
    const code = (await world.stop())?.code;
    if (code !== 0) wrong.push(`it stops with ${code}`);
    wrong.push(...(await broken(world, outcomes)));
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  } finally {
    acted = control.acted;
    await world.remove();
    control.remove();
  }
  return { wrong, outcomes, died: undefined, acted };
}

/** Every site with every mode. */
export function pairs(
  sites: readonly CallSite[],
  modes: readonly FaultMode[],
): { readonly site: CallSite; readonly mode: FaultMode }[] {
  return sites.flatMap((site) => modes.map((mode) => ({ site, mode })));
}

/**
 * `FAULT_SHARD=2/5`: of five parts of a long sweep only the second, which has every fifth piece of its work.
 */
export function shardOf<T>(work: readonly T[], shard = process.env['FAULT_SHARD'] ?? '1/1'): T[] {
  const [part = 0, parts = 0] = shard.split('/').map(Number);
  if (!(part >= 1 && part <= parts)) throw new TypeError(`FAULT_SHARD is \`${shard}\`, not like \`2/5\``);
  return work.filter((_, at) => at % parts === part - 1);
}

/** Two at a time. */
export async function inPairs<T>(work: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  const left = [...work];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await each(one);
  };
  await Promise.all([worker(), worker()]);
}

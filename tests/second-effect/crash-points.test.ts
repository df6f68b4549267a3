import { beforeAll, describe, expect, it } from 'vitest';
import {
  enumerateCalls,
  inPairs,
  oneOfEach,
  pairs,
  type CallSite,
  type FaultMode,
} from '../faults/kit/cases.js';
import { buildFaultLibrary } from '../faults/kit/library.js';
import { FaultControl } from '../faults/kit/control.js';
import { broken } from '../faults/kit/oracle.js';
import { ShortRun, type StepOutcome } from '../faults/kit/short-run.js';
import { FaultWorld } from '../faults/kit/world.js';

const library = buildFaultLibrary();
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const path = 'path' in library ? library.path : '';
const isLong = process.env['SUB_LONG'] !== undefined;

/** Just before the call is made, and just after it has taken effect. */
const MODES: readonly FaultMode[] = [{ action: 'kill' }, { action: 'killafter' }];

/** What who asks again after a crash may be told: it is done, or what is recorded of it. */
const TELLABLE = ['success', 'gateway_unreachable', 'in_doubt', 'interrupted', 'replayed'];

function isTellable({ step, code }: StepOutcome): boolean {
  return TELLABLE.includes(code) || (step === 'close' && ['handshake_refused', 'run_ended'].includes(code));
}

describe.skipIf('missing' in library)(
  `a gateway that is killed at a change of a file while it serves${absent}`,
  () => {
    let sites: CallSite[];
    beforeAll(async () => {
      const all = await enumerateCalls(path);
      const running = all.filter(({ phase }) => phase === 'run').map((site) => sinceStart(site, all));
      // Every write and sync of the ledger's log is a crash point of its own; of the rest, one of each kind.
      const ledger = running.filter(
        ({ path: file, op }) => file.endsWith('/ledger.db-wal') && (isLong || op === 'sync'),
      );
      sites = [...new Set([...ledger, ...oneOfEach(running)])];
    }, 180_000);

    it('does nothing twice, and whoever sends the same request again learns what was recorded', async () => {
      const failures: string[] = [];
      let crashes = 0;
      const chosen = pairs(sites, MODES).filter((_, at) => isLong || at % 8 === 0);
      await inPairs(chosen, async ({ site, mode }) => {
        const { wrong, outcomes, died } = await crashAndRepeat(site, mode);
        if (died) crashes += 1;
        const told = outcomes
          .filter((outcome) => !isTellable(outcome))
          .map(({ step, code }) => `${step} is told ${code}`);
        if (wrong.length + told.length > 0)
          failures.push(
            `${mode.action} at ${site.op} ${site.path} #${site.nth}: ${[...wrong, ...told].join('; ')}`,
          );
      });
      expect(failures).toEqual([]);
      expect(crashes).toBeGreaterThan(chosen.length / 2);
    }, 1_800_000);
  },
);

/** Counted from when the gateway serves: how much a start writes depends on how long it takes. */
function sinceStart(site: CallSite, all: readonly CallSite[]): CallSite {
  const before = all.filter(({ phase, op, path: file }) => {
    return phase === 'start' && op === site.op && file === site.path;
  });
  return { ...site, nth: site.nth - before.length };
}

/**
 * The short run with the gateway killed at that call; then a second gateway, and every request sent again as
 * it was.
 */
async function crashAndRepeat(
  site: CallSite,
  { action }: FaultMode,
): Promise<{ wrong: string[]; outcomes: readonly StepOutcome[]; died: boolean }> {
  const control = new FaultControl();
  const world = new FaultWorld();
  try {
    await world.listen();
    const end = await world.start(control.env(path, world.watched));
    const first = world.gateway;
    if (first === undefined) throw new Error(`it did not start: ${end?.stderr}`);
    control.set([{ action, ops: [site.op], path: site.path, first: site.nth, last: site.nth }]);
    const run = new ShortRun(world, 'crash');
    await run.once();
    const died = run.outcomes.some(({ code }) => code === 'gateway_unreachable');
    // What was not reached while it served is not to be reached by its shutdown.
    control.clear();
    if (died) {
      await first.ended;
      world.disconnect();
      await world.start();
    }
    await run.finish();
    await world.stop();
    return { wrong: await broken(world, run.outcomes), outcomes: run.outcomes, died };
  } catch (error) {
    return { wrong: [error instanceof Error ? error.message : String(error)], outcomes: [], died: false };
  } finally {
    await world.remove();
    control.remove();
  }
}

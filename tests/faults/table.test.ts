import { beforeAll, describe, expect, it } from 'vitest';
import {
  enumerateCalls,
  inPairs,
  NOT_ACKNOWLEDGED,
  NOT_PERSISTED,
  oneOfEach,
  pairs,
  runCase,
  runLive,
  shardOf,
  type CallSite,
} from './kit/cases.js';
import { buildFaultLibrary } from './kit/library.js';
import type { StepOutcome } from './kit/short-run.js';

const library = buildFaultLibrary();
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const path = 'path' in library ? library.path : '';
const isLong = process.env['SUB_LONG'] === '1';
const MODES = [NOT_PERSISTED, NOT_ACKNOWLEDGED];

/**
 * What a step may be told under a fault. Whatever is refused was not done, `in_doubt` says that it may have
 * been.
 */
const TELLABLE = ['success', 'audit_unavailable', 'failed', 'in_doubt', 'gateway_unreachable'];

/**
 * What follows from a step that was refused before, and from a run's end that stands although its answer was
 * lost.
 */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  service: ['not_allowed'],
  close: ['handshake_refused', 'run_ended'],
};

function mayBeTold({ step, code }: StepOutcome): boolean {
  return TELLABLE.includes(code) || (FOLLOWING[step] ?? []).includes(code);
}

/**
 * Calls that stand for the others of a start and a stop, where `npm test` cannot take the time for all of
 * them.
 */
const TYPICAL = [
  'start link */h/ledger.db',
  'start sync */h/ledger.db-wal',
  'start rename */h/keys/operator',
  'stop sync */h/ledger.db-wal',
  'stop write */h/keys/seal.next',
  'stop rename */h/keys/seal',
];

describe.skipIf('missing' in library)(`every call of a short run that changes a file${absent}`, () => {
  let sites: CallSite[];
  beforeAll(async () => {
    sites = await enumerateCalls(path);
  }, 180_000);

  it('is found, and leaves no part of the disk out', () => {
    const kinds = oneOfEach(sites).map(({ phase, op, path: glob }) => `${phase} ${op} ${glob}`);
    expect(kinds).toEqual(
      expect.arrayContaining([...TYPICAL, 'run sync */h/ledger.db-wal', 'run write */state/heads.log']),
    );
    expect(sites.length).toBeGreaterThan(200);
  });

  it('may fail while the gateway serves, not done or done and not acknowledged: it goes on by itself', async () => {
    const running = oneOfEach(sites.filter(({ phase }) => phase === 'run'));
    const { wrong, outcomes, acted } = await runLive(path, running, MODES);
    expect(wrong).toEqual([]);
    expect(acted).toBeGreaterThanOrEqual(running.length);
    expect(outcomes.filter((outcome) => !mayBeTold(outcome))).toEqual([]);
    expect(outcomes.some(({ code }) => code === 'audit_unavailable')).toBe(true);
  }, 120_000);

  it('may fail once at any time, and the next start puts it right', async () => {
    const chosen = isLong
      ? sites
      : oneOfEach(sites).filter(({ phase, op, path: glob }) => TYPICAL.includes(`${phase} ${op} ${glob}`));
    const failures: string[] = [];
    let died = 0;
    let acted = 0;
    // Each call in one of both modes, in turn, where not all of them are made.
    const work = isLong
      ? shardOf(pairs(chosen, MODES), undefined)
      : pairs(chosen, MODES).filter((_, at) => Math.floor(at / 2) % 2 === at % 2);
    await inPairs(work, async ({ site, mode }) => {
      const result = await runCase(path, site, mode);
      const name = `${site.phase}: ${site.op} ${site.path} #${site.nth} ${mode.action}`;
      if (result.died !== undefined) died += 1;
      if (result.acted > 0) acted += 1;
      const told = result.outcomes.filter((outcome) => !mayBeTold(outcome));
      const wrong = [...result.wrong, ...told.map(({ step, code }) => `${step} is told ${code}`)];
      if (wrong.length > 0) failures.push(`${name}: ${wrong.join('; ')} (${result.died ?? 'never ended'})`);
    });
    if (isLong) {
      console.log(
        `fault table: ${sites.length} calls, ${work.length} cases, ${acted} of them with their fault, ${died} ended the gateway, ${failures.length} failures`,
      );
    }
    expect(failures).toEqual([]);
    // No two runs make quite the same calls: the last one of many may never come.
    expect(acted).toBeGreaterThanOrEqual(Math.floor(work.length * 0.9));
  }, 3_600_000);
});

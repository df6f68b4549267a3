import { verifyLedger } from '@subluminal/ledger';
import { afterEach, expect, it } from 'vitest';
import { stopGateway } from '../harness/home.js';
import { cycles, PAIRS } from './cycle.js';
import { Yard } from './yard.js';

const LONG = process.env['SUB_LONG'] !== undefined;
/** The short form is each pair of who and when, once. */
const CYCLES = Number(process.env['KILL_CYCLES'] ?? (LONG ? 1000 : PAIRS.length));
const SEED = Number(process.env['KILL_SEED'] ?? 20_261_121);
const SHIMS = 3;
/** Without a pause the calls take both cores, and each start waits for them. */
const PAUSE_MS = LONG ? 0 : 150;
const VERIFY_EVERY = LONG ? 100 : 15;

let yard: Yard;
afterEach(() => yard.remove(), 60_000);

it(
  'whoever is killed, at whatever point: nothing acknowledged is lost, nothing runs twice, nothing runs unrecorded, nobody is left over',
  async () => {
    yard = new Yard({ shims: SHIMS, inFlight: 11, pauseMs: PAUSE_MS, stubborn: LONG ? 1 : 0 });
    await yard.startGateway();
    yard.startClient();
    await yard.settle();
    let done = 0;
    for (const cycle of cycles(CYCLES, SHIMS, SEED)) {
      await yard.kill(cycle);
      await yard.settle();
      done += 1;
      expect({ done, cycle, wrong: yard.evidence.check() }).toEqual({ done, cycle, wrong: [] });
      if (done % VERIFY_EVERY === 0) {
        const { home } = yard;
        const report = await verifyLedger(home.ledger, { headsLog: home.headsLog, live: true });
        expect({ done, finding: report.finding }).toEqual({ done, finding: null });
        if (LONG) console.info(summary(done, report.entries));
      }
    }
    await yard.stop();
    expect(yard.evidence.check()).toEqual([]);
    await stopGateway(yard.home.home);
    const report = await verifyLedger(yard.home.ledger, { headsLog: yard.home.headsLog });
    expect(report).toMatchObject({ verdict: 'ok', open: 0 });
    const { executed, answered } = yard.evidence.counts;
    expect(Math.min(executed, answered)).toBeGreaterThan(CYCLES);
    expect(done).toBe(CYCLES);
    console.info(summary(done, report.entries));
  },
  LONG ? 7_200_000 : 600_000,
);

function summary(done: number, entries: number): string {
  const { executed, answered } = yard.evidence.counts;
  const times = yard.absences.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)} ms`;
  return (
    `${done} kills: ${answered} answers, ${executed} calls executed, ${entries} entries; ` +
    `a gateway answers again after ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} (most) of ${times.length}`
  );
}

/**
 * The traces that a million calls leave: the gateway's memory on the way, and how long a call takes with that
 * ledger beside how long it takes with one that is new, in turns.
 */
import { residentMb } from '../stdio-client.mjs';
import { openHome } from '../home.mjs';
import { figure, median, percentile, sequential, table, throughput } from '../measure.mjs';
import { openRun } from '../signed-run.mjs';

const IN_FLIGHT = 64;
const MARKS = [0.01, 0.1, 0.5, 1];
/** Entries of a call: start, decision, end. */
const ENTRIES = 3;

export async function millionCalls({ short }) {
  const calls = short ? 50_000 : 1_000_000;
  const [rounds, sample] = short ? [3, 300] : [9, 1000];
  const homes = { large: openHome('fsync'), small: openHome('fsync') };
  try {
    for (const home of Object.values(homes)) home.up();
    const runs = { large: await openRun(homes.large.home), small: await openRun(homes.small.home) };
    const pid = homes.large.pid();
    const rows = [];
    let done = 0;
    for (const mark of MARKS) {
      const count = Math.round(calls * mark) - done;
      const rate = await throughput(() => runs.large.action(), count, IN_FLIGHT);
      done += count;
      rows.push([done.toLocaleString('en'), figure(rate), figure(residentMb(pid))]);
    }
    table(['calls so far', `calls/s (${IN_FLIGHT} in flight)`, 'RSS of the gateway MB'], rows);
    const p50 = { large: [], small: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['small', 'large']) {
        const latency = await sequential(() => runs[name].action(), sample);
        p50[name].push(percentile(latency, 0.5));
      }
    }
    const ratio = median(p50.large.map((large, round) => large / p50.small[round]));
    console.log(
      `\na call, one at a time, p50: ${figure(median(p50.small))} µs at ${(sample * ENTRIES).toLocaleString('en')} entries and more, ` +
        `${figure(median(p50.large))} µs at ${(done * ENTRIES).toLocaleString('en')}; large / small ${figure(ratio)}`,
    );
    for (const run of Object.values(runs)) await run.close();
  } finally {
    for (const home of Object.values(homes)) home.remove();
  }
}

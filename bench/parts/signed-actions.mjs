/**
 * Signed actions a second through the whole pipeline, against the ledger's own group commit of the same
 * entries. An action here is a tool call: begin (start and decision, durable) and end, which travels with the
 * next begin.
 */
import { openHome } from '../home.mjs';
import { figure, median, percentile, sequential, table, throughput } from '../measure.mjs';
import { openRun } from '../signed-run.mjs';
import { appendRate } from './ledger.mjs';

export async function signedActions({ short }) {
  const [rounds, count] = short ? [1, 400] : [5, 8000];
  const home = openHome('fsync');
  try {
    home.up();
    const run = await openRun(home.home);
    const rows = { alone: [], p50: [], together: [], ledger: [] };
    for (let round = 0; round < rounds; round += 1) {
      const latency = await sequential(() => run.action(), Math.ceil(count / 8));
      rows.p50.push(percentile(latency, 0.5));
      rows.alone.push(1e6 / median(latency));
      rows.together.push(await throughput(() => run.action(), count, 32));
      rows.ledger.push(await appendRate({ actions: count, inFlight: 32 }));
    }
    await run.close();
    table(
      ['signed actions', 'value'],
      [
        ['one at a time, p50 µs', figure(median(rows.p50))],
        ['32 in flight, actions/s', figure(median(rows.together))],
        ['the ledger alone, 32 in flight, actions/s', figure(median(rows.ledger))],
        ['pipeline / ledger', figure(median(rows.together.map((rate, n) => rate / rows.ledger[n])))],
      ],
    );
  } finally {
    home.remove();
  }
}

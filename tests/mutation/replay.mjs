/**
 * Asks one bundle, in which every mutant waits behind a switch, about every kept case: `node replay.mjs CASES ID…`.
 * Prints `<id> <number of the case that turned red, or survived>` for each mutant.
 */
import { readFileSync } from 'node:fs';

const [casesFile, ...ids] = process.argv.slice(2);
const { verifyLedger } = await import('../../packages/ledger/dist/mutants/ledger.mjs');
const cases = JSON.parse(readFileSync(casesFile, 'utf8'));

if (ids[0] === 'check') {
  const good = [];
  for (const one of cases) if (await holds(one)) good.push(one);
  process.stdout.write(`${JSON.stringify(good)}\n`);
} else {
  const order = [...cases.keys()];
  for (const id of ids) {
    globalThis.subMutant = Number(id);
    let red = -1;
    for (const [place, at] of order.entries()) {
      if (await holds(cases[at])) continue;
      red = at;
      // What killed one mutant often kills its neighbour.
      order.splice(place, 1);
      order.unshift(at);
      break;
    }
    process.stdout.write(`${id} ${red === -1 ? 'survived' : red}\n`);
  }
}

async function holds({ path, options, verdict, class: kind }) {
  try {
    const { verdict: said, finding } = await verifyLedger(path, { ...options, threads: 1 });
    return said === verdict && (finding?.class ?? null) === kind;
  } catch {
    return false;
  }
}

/**
 * Mutation test of verification: `npm run test:mutation [-- PATTERN-OF-FILES]`. Takes out every check there
 * is, one at a time, and expects a test to fail. First every test runs once without a mutant, which says how
 * long it takes and which checks it comes by; then each mutant is given the tests that come by its place,
 * until one of them fails. Whatever survives has to stand in `equivalent.mjs` with its reason; anything else
 * is exit status 1. `checks.mjs` says which mutants there are.
 *
 * `SUB_MUTATION_TESTS` is a pattern of the test files to keep to. `SUB_MUTATION_LIST` names a file for one
 * line a mutant, `SUB_MUTATION_PROCESSES` says how many run at once.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { bundle } from './bundle.mjs';
import { EQUIVALENT } from './equivalent.mjs';
import { Hand } from './hand.mjs';
import { allMutants, allTests } from './targets.mjs';

const PROCESSES = Number(process.env.SUB_MUTATION_PROCESSES ?? 2);
const pattern = new RegExp(process.argv[2] ?? '');
const { SUB_MUTATION_TESTS: onlyTests = '', SUB_MUTATION_LIST: list } = process.env;
const began = performance.now();
const scratch = mkdtempSync(join(tmpdir(), 'sub-mutation-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main() {
  const tests = allTests().filter((file) => new RegExp(onlyTests).test(file));
  const every = allMutants();
  await bundle(tests, every);
  const hands = Array.from({ length: PROCESSES }, () => new Hand(scratch));
  try {
    const known = await recorded(hands, tests);
    const mutants = every.filter(({ file }) => pattern.test(file));
    say(`${mutants.length} mutants, ${known.length} tests, ${seconds()}`);
    const asked = mutants.filter((mutant) => explained(mutant) === undefined);
    const results = await judged(hands, asked, known);
    return told(mutants, asked, results);
  } finally {
    for (const hand of hands) hand.close();
  }
}

/** Every test that passes, with the places that it comes by. */
async function recorded(hands, files) {
  const known = [];
  await shared(hands, files, async (hand, file) => {
    const answers = await hand.ask({ record: file });
    if (answers === undefined) throw new Error(`the tests of \`${file}\` ended the process`);
    for (const { name, ms, error, reached } of answers) {
      if (error !== null) throw new Error(`\`${name}\` fails without any mutant: ${error}`);
      known.push({ file, name, ms, reached: new Set(reached) });
    }
  });
  return known.toSorted((a, b) => a.ms - b.ms);
}

/**
 * Which test each mutant makes fail. Those that have found many are asked first: what notices one check often
 * notices its neighbour.
 */
async function judged(hands, mutants, known) {
  const results = new Map();
  const kills = new Map();
  await shared(hands, mutants, async (hand, mutant) => {
    const able = known.filter(({ reached }) => reached.has(mutant.site));
    const near = (one) => kills.get(`${mutant.file} ${one.name}`) ?? 0;
    const tests = able
      .map((one) => ({ ...one, cost: one.ms / (1 + near(one)) }))
      .toSorted((a, b) => a.cost - b.cost)
      .map(({ file, name, ms }) => ({ file, name, ms }));
    const answer = tests.length === 0 ? { by: null, ms: 0 } : await hand.ask({ id: mutant.id, tests });
    const by = answer === undefined ? 'a process that ends' : answer.by;
    if (answer !== undefined && by !== null) {
      const key = `${mutant.file} ${by}`;
      kills.set(key, (kills.get(key) ?? 0) + 1);
    }
    results.set(mutant.id, { by, tests: tests.length });
    const line = `${by === null ? 'SURVIVED' : 'killed'} ${described(mutant)} [${tests.length} tests, ${Math.round(answer?.ms ?? 0)} ms] ${by ?? ''}`;
    if (list !== undefined) writeFileSync(list, `${line}\n`, { flag: 'a' });
  });
  return results;
}

function told(mutants, asked, results) {
  const survivors = asked.filter(({ id }) => results.get(id).by === null);
  for (const mutant of survivors) {
    const { tests } = results.get(mutant.id);
    say(`SURVIVED ${described(mutant)}${tests === 0 ? ' (no test comes by)' : ''}`);
  }
  const idle = EQUIVALENT.filter(
    (one) => pattern.test(one.file) && !mutants.some((mutant) => explained(mutant) === one),
  );
  for (const { file, code } of idle) say(`LISTED, and not there: ${file} ${code}`);
  const equivalent = mutants.length - asked.length;
  say(
    `mutation score: ${asked.length - survivors.length} of ${asked.length} killed (${mutants.length} mutants, ${equivalent} of them listed as equivalent), ${seconds()}`,
  );
  return survivors.length + idle.length === 0 ? 0 : 1;
}

/** Gives each piece of work to the next hand that is free. */
async function shared(hands, pieces, work) {
  const waiting = [...pieces];
  await Promise.all(
    hands.map(async (hand) => {
      for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) await work(hand, piece);
    }),
  );
}

function explained({ file, code, kind }) {
  return EQUIVALENT.find((one) => file.endsWith(one.file) && one.code === code && one.kinds.includes(kind));
}

function described({ id, file, line, kind, code }) {
  return `#${id} ${relative('packages/ledger/src', file)}:${line} ${kind}: ${code.slice(0, 140)}`;
}

function seconds() {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

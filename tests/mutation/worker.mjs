/**
 * A process of the mutation test, over what `bundle.mjs` made. Asked over its channel, one question at a
 * time:
 *
 * - `{ record: FILE }`: runs every test of a file without any mutant, and answers for each `{ name, ms,
 *   error, reached }`.
 * - `{ id, tests }`: runs these tests with one mutant on until the first fails, and answers `{ by, ms }`,
 *   `by` null where none does. A test that then fails without the mutant too proves nothing, and the next one
 *   is asked.
 */
import { Worker } from 'node:worker_threads';
import { beginAnew, runTest, testsOf } from './suite.mjs';

/**
 * How long a test may take and how much processor time it may use with a mutant on: so much, and twenty times
 * what it takes without.
 */
const LATE_MS = 10_000;
const LATER = 20;
/** Without a mutant. */
const UNHURRIED_MS = 300_000;
const mutation = { on: 0, reached: new Uint8Array(1 << 16) };
globalThis.subMutation = mutation;
const { TESTS } = await import('../../packages/ledger/dist/mutants/tests.mjs');
const loaded = new Map();
/** The number of the question, and the processor milliseconds that it may take. */
const progress = new Int32Array(new SharedArrayBuffer(8));
limit(UNHURRIED_MS);
const stray = [];
process.on('unhandledRejection', (error) => stray.push(error));
process.on('uncaughtException', (error) => stray.push(error));
watch();
process.on('message', (question) => {
  void answer(question).then(
    (said) => process.send(said),
    (/** @type {unknown} */ error) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});

function answer(question) {
  return question.record === undefined ? judged(question) : recorded(question.record);
}

async function recorded(file) {
  const answers = [];
  for (const test of await testsIn(file)) {
    const reached = new Set();
    const began = performance.now();
    const error = await failure(test, 0, () => {
      for (const [site, was] of mutation.reached.entries()) if (was === 1) reached.add(site);
    });
    answers.push({ name: test.name, ms: performance.now() - began, error, reached: [...reached] });
  }
  if (answers.length > 0) await beginAnew(loaded.get(file)[0]);
  return answers;
}

async function judged({ id, tests }) {
  const began = performance.now();
  for (const { file, name, ms } of tests) {
    const test = (await testsIn(file)).find((one) => one.name === name);
    if ((await failure(test, id, () => undefined, LATE_MS + LATER * ms)) === null) continue;
    if ((await failure(test, 0)) !== null) {
      // Some tests pass once only on what stands before them: both answers come from a fresh start.
      await beginAnew(test);
      if ((await failure(test, 0)) !== null) continue;
      await beginAnew(test);
      if ((await failure(test, id)) === null) continue;
      await beginAnew(test);
    }
    return { by: name, ms: performance.now() - began };
  }
  return { by: null, ms: performance.now() - began };
}

/**
 * What a test says with a mutant on, in a few words; null where it passes. What stands before it has all the
 * time it needs.
 */
async function failure(test, id, passed = () => undefined, mostMs = UNHURRIED_MS) {
  let timer;
  let late;
  const isLate = new Promise((_, reject) => (late = reject));
  const on = () => {
    timer = setTimeout(() => late(new Error('it does not end')), mostMs);
    limit(mostMs);
    mutation.reached.fill(0);
    mutation.on = id;
    process.env.SUB_MUTANT = String(id);
  };
  const off = () => {
    clearTimeout(timer);
    limit(UNHURRIED_MS);
    mutation.on = 0;
    process.env.SUB_MUTANT = '0';
  };
  stray.length = 0;
  try {
    await Promise.race([runTest(test, { on, off }), isLate]);
    if (stray.length > 0) throw stray[0];
    passed();
    return null;
  } catch (error) {
    return String(error?.message ?? error).slice(0, 300);
  } finally {
    off();
  }
}

function limit(ms) {
  Atomics.store(progress, 1, ms);
  Atomics.add(progress, 0, 1);
}

async function testsIn(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const tests = await testsOf(file, TESTS.get(file));
  loaded.set(file, tests);
  return tests;
}

/** Ends the process from another thread over a mutant that never ends: this one would not hear a timer. */
function watch() {
  const text = `
    const progress = require('node:worker_threads').workerData;
    let [at, from] = [0, process.cpuUsage()];
    setInterval(() => {
      const { user, system } = process.cpuUsage(from);
      if (Atomics.load(progress, 0) !== at) [at, from] = [Atomics.load(progress, 0), process.cpuUsage()];
      else if (user + system > 1000 * Atomics.load(progress, 1)) process.kill(process.pid, 'SIGKILL');
    }, 100);`;
  new Worker(text, { eval: true, workerData: progress }).unref();
}

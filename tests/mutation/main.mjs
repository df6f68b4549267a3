/**
 * Mutation test of verification: `npm run test:mutation`. Switches off every check there is, one at a time, and expects
 * somebody to notice. First the tests run once, and what they ask of verification is kept with its answer; each mutant is
 * asked the same until it answers something else. For those that never do, the tests beside their file decide. Whatever
 * survives both has to stand in `equivalent.mjs` with its reason; anything else is exit status 1.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { instrument } from './enumerate.mjs';
import { EQUIVALENT } from './equivalent.mjs';
import { allMutants, LEDGER, ROOT } from './targets.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** No mutant takes as long over all cases together, however busy the machine is. */
const SILENT_MS = 90_000;
/** Cases that are kept of one and the same finding, and of one and the same call. */
const SAME = 4;
const SAME_CALL = 400;
const PROCESSES = 2;
/** With fewer cases than this, or more mutants that stop the process, the run itself is broken. */
const FEWEST_CASES = 500;
const MOST_STUCK = 60;
const began = performance.now();
/** `SUB_MUTATION_CASES` names a folder in which the cases of one run stay for the next. */
const lasting = process.env.SUB_MUTATION_CASES;
const scratch = lasting ?? mkdtempSync(join(tmpdir(), 'sub-mutation-'));
try {
  process.exitCode = await main();
} finally {
  if (lasting === undefined) rmSync(scratch, { recursive: true, force: true });
}

async function main() {
  const mutants = allMutants().filter(
    ({ file }) => process.argv[2] === undefined || file.includes(process.argv[2]),
  );
  await bundled(mutants);
  const cases = await keptCases();
  if (cases < FEWEST_CASES) throw new Error(`only ${cases} cases were kept`);
  say(`${mutants.length} mutants, ${cases} cases, ${seconds()}`);
  const how = await replayed(mutants);
  const count = (kind) => mutants.filter(({ id }) => how.get(id) === kind).length;
  if (count('stuck') > MOST_STUCK) throw new Error(`${count('stuck')} mutants ended the process`);
  const left = mutants.filter(({ id }) => how.get(id) === 'survived');
  const unheard = left.filter((mutant) => !isExplained(mutant));
  say(
    `killed by a verdict: ${count('verdict')}, by the rest of a report: ${count('report')}, by a process that ends: ${count('stuck')}; ${unheard.length} are left to the tests beside them, ${seconds()}`,
  );
  const red = process.env.SUB_MUTATION_QUICK === undefined ? await eachTested(unheard) : new Set();
  const survivors = unheard.filter(({ id }) => !red.has(id));
  for (const mutant of survivors) say(`SURVIVED ${described(mutant)}`);
  const equivalent = left.length - unheard.length;
  const wrong = mutants.filter((mutant) => isExplained(mutant) && how.get(mutant.id) !== 'survived');
  for (const mutant of wrong) say(`KILLED, and listed as equivalent: ${described(mutant)}`);
  const real = mutants.length - equivalent;
  say(
    `mutation score: ${real - survivors.length} of ${real} (${mutants.length} mutants, ${equivalent} of them equivalent), ${seconds()}`,
  );
  return survivors.length + wrong.length === 0 ? 0 : 1;
}

async function bundled(mutants) {
  mkdirSync(join(LEDGER, 'dist', 'mutants'), { recursive: true });
  const common = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutants',
        setup: (esbuild) => {
          esbuild.onLoad({ filter: /\/packages\/ledger\/src\/.*\.ts$/ }, ({ path }) => {
            const own = mutants.filter(({ file }) => join(ROOT, file) === path);
            return { contents: instrument(readFileSync(path, 'utf8'), own), loader: 'ts' };
          });
        },
      },
    ],
  };
  const out = (name) => join(LEDGER, 'dist', 'mutants', name);
  await build({ ...common, entryPoints: [join(LEDGER, 'testing/mutants.ts')], outfile: out('ledger.mjs') });
  await build({
    ...common,
    entryPoints: [join(LEDGER, 'src/verify/verify-worker-main.ts')],
    outfile: out('verify-worker-main.mjs'),
    banner: { js: 'globalThis.subMutant = Number(process.env.SUB_MUTANT ?? 0);' },
  });
}

async function keptCases() {
  const folder = join(scratch, 'cases');
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    const { code, output } = await vitest({ SUB_CASES: folder });
    if (code !== 0) throw new Error(`a test fails without any mutant:\n${output.slice(-3000)}`);
  }
  const kept = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const list = join(scratch, 'cases.json');
  const chosen = [...distinctCalls(kept), ...distinctLedgers(kept)];
  writeFileSync(list, JSON.stringify([...chosen, ...inThreads(chosen)]));
  // A case that was taken while a writer was at work is no longer what it was.
  const { code, output } = await run(process.execPath, [here('replay.mjs'), list, 'check']);
  if (code !== 0) throw new Error(`the cases cannot be asked again: ${output.slice(0, 2000)}`);
  return JSON.parse(readFileSync(list, 'utf8')).length;
}

function distinctCalls(cases) {
  const seen = new Set();
  const counts = new Map();
  return cases.filter(({ call, args, answer }) => {
    if (call === undefined || seen.has(call + args)) return false;
    seen.add(call + args);
    // What is refused and what is not, each in numbers.
    const name = `${call} ${answer === undefined || answer === 'false'}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts.get(name) <= SAME_CALL;
  });
}

/** The smallest first, and of those that are told the same no more than a few. */
function distinctLedgers(cases) {
  const counts = new Map();
  const size = ({ path }) => statSync(path).size;
  return cases
    .filter(({ call }) => call === undefined)
    .toSorted((a, b) => size(a) - size(b))
    .filter(({ report: { verdict, finding, reasons, notes } }) => {
      const said = [verdict, finding?.class, finding?.detail, ...reasons, ...notes];
      const name = said.join(' ').replaceAll(/[0-9a-f]+/g, '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return counts.get(name) <= SAME;
    });
}

/** The largest of what is in order and some of what is not, in several threads: with the same report, and without going back to one. */
function inThreads(cases) {
  const ledgers = cases.filter(({ report }) => report !== undefined);
  const good = ledgers
    .filter(({ report }) => report.verdict === 'ok')
    .toSorted((a, b) => b.report.entries - a.report.entries);
  const bad = ledgers.filter(
    ({ report }) => report.finding?.class === 'hash' || report.finding?.class === 'page',
  );
  return [
    ...good.slice(0, 1).map((one) => ({ ...one, threads: 'only' })),
    ...[...bad.slice(0, 1), ...bad.slice(-1)].map((one) => ({ ...one, threads: 'again' })),
  ];
}

/** Which cases reach the code of a file. */
function asked(file) {
  if (['threads.ts', 'threading.ts', 'verify-worker-main.ts'].includes(basename(file))) return 'threads';
  if (file.includes('/note/') || basename(file) === 'verify-proof.ts') return 'calls';
  if (['record.ts', 'heads-log.ts'].includes(basename(file))) return 'calls,ledgers';
  return basename(file) === 'page-source.ts' ? 'ledgers,threads' : 'ledgers';
}

/** How each mutant ended. One process for many; one that hangs over a mutant is ended, and that mutant is killed. */
async function replayed(mutants) {
  const how = new Map();
  const waiting = mutants.map(({ id, file }) => `${id}:${asked(file)}`);
  const each = Math.ceil(waiting.length / (PROCESSES * 24));
  const work = async () => {
    for (let rest = waiting.splice(0, each); rest.length > 0;) {
      const done = await replayUntilSilent(rest);
      for (const [id, kind] of done) how.set(Number(id), kind);
      rest = rest.slice(done.length);
      const stuck = rest.shift();
      if (stuck !== undefined) how.set(Number.parseInt(stuck, 10), 'stuck');
      if (rest.length === 0) rest = waiting.splice(0, each);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  return how;
}

function replayUntilSilent(ids) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [here('replay.mjs'), join(scratch, 'cases.json'), ...ids], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    const end = () => child.kill('SIGKILL');
    let timer = setTimeout(end, SILENT_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      clearTimeout(timer);
      timer = setTimeout(end, SILENT_MS);
    });
    child.once('close', () => {
      clearTimeout(timer);
      resolve(
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => line.split(' ')),
      );
    });
  });
}

/** The numbers of those that turn a test red. */
async function eachTested(mutants) {
  const red = new Set();
  const waiting = [...mutants];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
      if (await turnsRed(mutant)) red.add(mutant.id);
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  return red;
}

async function turnsRed({ id, file }) {
  const { code } = await vitest({ SUB_MUTANT: String(id) }, ['--bail=1', dirname(file)]);
  return code !== 0;
}

function vitest(env, more = []) {
  return run(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', here('vitest.config.mjs'), ...more],
    env,
  );
}

function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), 1_800_000);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

function isExplained({ file, code, kind }) {
  return EQUIVALENT.some((one) => file.endsWith(one.file) && one.code === code && one.kinds.includes(kind));
}

function described({ id, file, line, kind, code }) {
  return `#${id} ${file}:${line} ${kind}: ${code.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
}

function seconds() {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

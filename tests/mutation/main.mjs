/**
 * Mutation test of verification: `npm run test:mutation`. Switches off every check there is, one at a time, and expects a
 * test to turn red. First the cases of all tests are kept and asked of every mutant in one process; then the tests
 * themselves run for those that no case killed (not with `SUB_MUTATION_QUICK`, which only lists them). What survives both has to stand in `equivalent.mjs`, with its reason.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { instrument } from './enumerate.mjs';
import { EQUIVALENT } from './equivalent.mjs';
import { allMutants, LEDGER, ROOT } from './targets.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const SILENT_MS = 120_000;
/** Cases of one and the same finding that are kept. */
const SAME = 6;
const scratch = mkdtempSync(join(tmpdir(), 'sub-mutation-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main() {
  const mutants = allMutants().filter(
    ({ file }) => process.argv[2] === undefined || file.includes(process.argv[2]),
  );
  await bundled(mutants);
  const cases = await keptCases();
  say(`${mutants.length} mutants, ${cases} cases`);
  const left = await replayed(mutants);
  say(`${left.length} mutants that no case kills: the tests themselves decide`);
  if (process.env.SUB_MUTATION_QUICK !== undefined) {
    for (const mutant of left) say(described(mutant));
    return 1;
  }
  const survivors = [];
  for (const mutant of left) if (!(await turnsRed(mutant))) survivors.push(mutant);
  const unexplained = survivors.filter((mutant) => !isExplained(mutant));
  for (const mutant of survivors)
    say(`${isExplained(mutant) ? 'equivalent' : 'SURVIVED  '} ${described(mutant)}`);
  const killed = mutants.length - survivors.length;
  const rest = survivors.length - unexplained.length;
  say(
    `mutation score: ${killed} of ${mutants.length - rest} (${mutants.length} mutants, ${rest} of them equivalent)`,
  );
  return unexplained.length === 0 ? 0 : 1;
}

async function bundled(mutants) {
  const outfile = join(LEDGER, 'dist', 'mutants', 'ledger.mjs');
  mkdirSync(join(LEDGER, 'dist', 'mutants'), { recursive: true });
  await build({
    entryPoints: [join(LEDGER, 'src/index.ts')],
    outfile,
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
  });
}

async function keptCases() {
  const folder = join(scratch, 'cases');
  mkdirSync(folder);
  const { code, output } = await vitest({ SUB_CASES: folder });
  if (code !== 0) say(`a test fails without any mutant:\n${output.slice(-3000)}`);
  const kept = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const list = join(scratch, 'cases.json');
  writeFileSync(list, JSON.stringify(distinct(kept)));
  // A case that was taken while a writer was at work is no longer what it was.
  const checked = await run(process.execPath, [here('replay.mjs'), list, 'check']);
  const good = JSON.parse(checked.output);
  writeFileSync(list, JSON.stringify(good));
  return good.length;
}

/** The smallest cases first, and of those that are told the same no more than a few. */
function distinct(cases) {
  const counts = new Map();
  const size = ({ path }) => statSync(path).size;
  return cases
    .toSorted((a, b) => size(a) - size(b))
    .filter(({ verdict, class: kind, detail }) => {
      const name = `${verdict} ${kind} ${detail.replaceAll(/[0-9a-f]+/g, '')}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return counts.get(name) <= SAME;
    });
}

/** One process for all; one that hangs over a mutant is ended, and that mutant is killed. */
async function replayed(mutants) {
  const survived = [];
  let rest = mutants.map(({ id }) => id);
  while (rest.length > 0) {
    const done = await replayUntilSilent(rest);
    for (const [id, how] of done) if (how === 'survived') survived.push(Number(id));
    rest = rest.slice(done.length < rest.length ? done.length + 1 : done.length);
  }
  return mutants.filter(({ id }) => survived.includes(id));
}

function replayUntilSilent(ids) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [here('replay.mjs'), join(scratch, 'cases.json'), ...ids.map(String)],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let text = '';
    let timer = setTimeout(() => child.kill('SIGKILL'), SILENT_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      clearTimeout(timer);
      timer = setTimeout(() => child.kill('SIGKILL'), SILENT_MS);
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

function say(text) {
  process.stdout.write(`${text}\n`);
}

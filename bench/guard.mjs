/**
 * Compares the processor time of a call with that of an earlier commit, in pairs: both are built, and
 * measured in turns in one run. Fails if one figure is more than a quarter above the earlier one in each of
 * three tries. Usage: npm run bench:guard [-- COMMIT], else the commit before this one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callCost, PACE_MS } from './call-cost.mjs';
import { openHome } from './home.mjs';
import { figure, median, table } from './measure.mjs';
import { openSession } from './stdio-client.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVER = [process.execPath, fileURLToPath(new URL('subjects/echo-server.mjs', import.meta.url))];
const MOST = 1.25;
const TRIES = 3;
const ROUNDS = 5;
const SIZES = { warm: 1000, many: 3000, lone: 200, paced: 40 };
const FIGURES = [
  ['32 in flight', ({ atOnce }) => atOnce.gateway + atOnce.shim],
  ['one after the other', ({ oneByOne }) => oneByOne.gateway + oneByOne.shim],
  [`${PACE_MS} ms apart`, ({ atPace }) => atPace.gateway + atPace.shim],
];

process.exitCode = await guard(process.argv[2] ?? 'HEAD^');

/** The exit code: 0 within the limit, 1 above it. */
async function guard(commit) {
  if (!existsSync('/proc/self/schedstat')) return skipped('this system does not tell processor time');
  const hash = find(commit);
  if (hash === undefined) return skipped(`there is no commit \`${commit}\` in this clone`);
  const scratch = mkdtempSync(join(tmpdir(), 'sub-guard-'));
  try {
    const before = tryBuild(scratch, hash);
    if (before === undefined) return skipped(`${hash} does not build with what is installed here`);
    for (let left = TRIES; left > 0; left -= 1) if (await isWithin(before, hash)) return 0;
    process.stderr.write(`a call takes more than ${MOST} times the processor time of ${hash}\n`);
    return 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function skipped(why) {
  process.stdout.write(`skipped: ${why}\n`);
  return 0;
}

function find(commit) {
  const git = ['rev-parse', '--verify', '--quiet', '--short=10', `${commit}^{commit}`];
  try {
    return execFileSync('git', git, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch (error) {
    if (error.status === 1 || error.status === 128) return undefined;
    throw error;
  }
}

/** The built tree of a commit, with the dependencies that are installed here. */
function build(scratch, hash) {
  const tree = join(scratch, 'tree');
  const modules = join(tree, 'node_modules');
  mkdirSync(join(modules, '@subluminal'), { recursive: true });
  const archive = execFileSync('git', ['archive', hash], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@subluminal') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(tree, 'packages')))
    if (existsSync(join(tree, 'packages', name, 'package.json')))
      symlinkSync(`../../packages/${name}`, join(modules, '@subluminal', name));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: tree, stdio: 'inherit' });
  return tree;
}

/** Undefined for a commit that does not build with what is installed here. */
function tryBuild(scratch, hash) {
  try {
    return build(scratch, hash);
  } catch (error) {
    if (error.status === undefined) throw error;
    return undefined;
  }
}

async function isWithin(before, hash) {
  const homes = [before, ROOT].map((tree) => openHome('fsync', tree));
  const costs = homes.map(() => []);
  try {
    for (const home of homes) home.up();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, home] of homes.entries()) {
        const session = await openSession([home.sub, ...home.shimArgs('echo'), ...SERVER]);
        costs[at].push(await callCost(session, home.pid(), SIZES));
        await session.close();
      }
    }
  } finally {
    for (const home of homes) home.remove();
  }
  const rows = FIGURES.map(([name, read]) => {
    const [theirs, ours] = costs.map((cost) => median(cost.map(read)));
    return { name, theirs, ours, ratio: ours / theirs };
  });
  table(
    ['processor of a call, µs', hash, 'here', 'ratio'],
    rows.map(({ name, theirs, ours, ratio }) => [name, figure(theirs), figure(ours), figure(ratio)]),
  );
  return rows.every(({ ratio }) => ratio <= MOST);
}

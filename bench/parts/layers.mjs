/**
 * Layers of worlds: a commit beside `cp -a`, looks at what has changed, and a command with a layer beside one
 * without.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Layer, layerPlace, takeLayer } from '@subluminal/layers';
import { figure, median, table } from '../measure.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const SUB = file('../../packages/cli/bin/sub.mjs');
const SERVE = file('../../tests/worlds/kit/serve.mjs');
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin';
const IN_FOLDER = 100;
const CHANGES = 50;
/** Runs words, and prints the time and the processor time that they took, in seconds. */
const TIMED = `use Time::HiRes 'time'; my $from = time; system(@ARGV) == 0 or exit 1; my $took = time - $from;
my @all = times; printf "%f %f", $took, $all[2] + $all[3]`;
const SYNC = `open(my $f, '<', $ARGV[0]) or die; syscall(${process.arch === 'arm64' ? 267 : 306}, fileno $f) == 0 or die`;

export async function layers({ short }) {
  if (process.platform !== 'linux') {
    console.log('skipped: layers are of Linux');
    return;
  }
  const size = short
    ? { rounds: 2, files: 1000, project: 5000, added: 2000, looks: 5, execs: 5 }
    : { rounds: 7, files: 10_000, project: 100_000, added: 30_000, looks: 21, execs: 31 };
  const root = mkdtempSync(join('/var/tmp', 'sub-bench-l-'));
  try {
    commits(root, size);
    await looks(root, size);
    await commands(root, size);
  } finally {
    // A commit starts the gateway of its home, which records it.
    spawnSync(process.execPath, [SUB, 'down', '--home', join(root, 'home')], { env: { PATH } });
    rmSync(root, { recursive: true, force: true });
  }
}

/** A layer that no world has. */
function layerOf(root, home, name) {
  const project = join(root, `${name}-project`);
  mkdirSync(project, { recursive: true });
  const { pid } = spawnSync('/bin/true');
  const taker = { pid, start: '0' };
  const place = layerPlace(join(home, 'layers'), name);
  return takeLayer(place, { project, runId: 'bench', label: 'bench', taker, as: 'world', now: Date.now() });
}

function fill(folder, files, text) {
  for (let at = 0; at < files; at += 1) {
    if (at % IN_FOLDER === 0) mkdirSync(join(folder, `d${at / IN_FOLDER}`));
    writeFileSync(join(folder, `d${Math.floor(at / IN_FOLDER)}`, `f${at}.txt`), `${text} ${at}\n`.repeat(20));
  }
}

function commits(root, { rounds, files }) {
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  const samples = { copy: [], copyAndRemove: [], commit: [], nothing: [] };
  const cost = (cwd, words) => {
    const env = { PATH, SUB_HOME: home };
    const said = execFileSync('/usr/bin/perl', ['-e', TIMED, ...words], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [ms, cpu] = said
      .toString()
      .trim()
      .split('\n')
      .at(-1)
      .split(' ')
      .map((text) => Number(text) * 1000);
    return { ms, cpu };
  };
  const script = (text) => ['/bin/sh', '-c', text];
  for (let round = 0; round < rounds; round += 1) {
    const about = layerOf(root, home, `commit${round}`);
    const { upper } = about.place;
    fill(upper, files, 'new');
    const sync = `/usr/bin/perl -e '${SYNC.replaceAll("'", `'"'"'`)}' ${root}`;
    const copy = join(root, 'copy');
    execFileSync('/bin/sh', ['-c', `cp -a ${upper} ${root}/source; ${sync}`]);
    samples.copy.push(cost(root, script(`cp -a ${root}/source ${copy} && ${sync}`)));
    rmSync(copy, { recursive: true });
    execFileSync('/bin/sh', ['-c', sync]);
    samples.commit.push(
      cost(about.project, script(`${process.execPath} ${SUB} world commit --yes >/dev/null`)),
    );
    samples.nothing.push(cost(root, script(`${process.execPath} ${SUB} world status --json >/dev/null`)));
    execFileSync('/bin/sh', ['-c', sync]);
    samples.copyAndRemove.push(
      cost(root, script(`cp -a ${root}/source ${copy} && ${sync} && rm -r ${root}/source`)),
    );
    rmSync(copy, { recursive: true });
    rmSync(about.project, { recursive: true });
  }
  const row = (name, of, to) => [
    name,
    ...['ms', 'cpu'].flatMap((key) => [
      figure(median(of.map((one) => one[key]))),
      to === undefined ? '' : figure(median(of.map((one, at) => to[at][key] / one[key]))),
    ]),
  ];
  table(
    [`${files} new files`, 'p50 ms', 'speed (goal 0.5)', 'processor ms', 'speed'],
    [
      row('cp -a, then syncfs', samples.copy),
      row('the same, then rm -r of the source', samples.copyAndRemove),
      row('sub world commit, beside cp -a', samples.commit, samples.copy),
      row('  beside cp -a and rm -r', samples.commit, samples.copyAndRemove),
      row('sub world status, which does none of it', samples.nothing),
    ],
  );
  console.log();
}

async function looks(root, { project, added, looks: rounds }) {
  const home = join(root, 'home');
  const small = await changing(layerOf(root, home, 'small'), 100, 0);
  const large = await changing(layerOf(root, home, 'large'), project, 0);
  const full = await changing(layerOf(root, home, 'full'), 100, added);
  const samples = { small: [], large: [], full: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const [name, one] of Object.entries({ small, large, full }))
      samples[name].push(await one.look(round));
  for (const one of [small, large, full]) one.close();
  table(
    [`a look at ${CHANGES} changes`, 'p50 ms', '× the first'],
    [
      ['in a project of 100 files', figure(median(samples.small)), ''],
      [
        `in one of ${project} (goal 5 ms)`,
        figure(median(samples.large)),
        figure(median(samples.large.map((ms, at) => ms / samples.small[at]))),
      ],
      [`of a layer with ${added} new files (goal 60 ms)`, figure(median(samples.full)), ''],
    ],
  );
  console.log(`\nthe first look at ${added} new files: ${figure(full.first)} ms\n`);
}

/** A layer over so many files, with so many new ones, that is looked at again and again. */
async function changing(about, files, added) {
  fill(about.project, files, 'old');
  fill(about.place.upper, added, 'new');
  mkdirSync(join(about.place.upper, 'work'));
  const layer = new Layer(about);
  const from = performance.now();
  await layer.look();
  const first = performance.now() - from;
  return {
    first,
    close: () => layer.close(),
    look: async (round) => {
      for (let at = 0; at < CHANGES; at += 1)
        writeFileSync(join(about.place.upper, 'work', `n${at}`), `round ${round}\n`);
      const begun = performance.now();
      const steps = await layer.look();
      const took = performance.now() - begun;
      if (steps.length < CHANGES) throw new Error(`only ${steps.length} changes were seen`);
      return took;
    },
  };
}

/** Commands of two worlds that are up, with a layer and without. */
async function commands(root, { execs }) {
  const home = join(root, 'gateway');
  const env = { PATH, SUB_HOME: home };
  const gateway = spawn(process.execPath, [SERVE, home, '{}'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: file('../..'),
    env,
  });
  await once(gateway.stdout, 'data');
  const exec = (name, flags) => {
    const cwd = join(root, name);
    mkdirSync(cwd, { recursive: true });
    return () => {
      const from = performance.now();
      const { status, stderr } = spawnSync(
        process.execPath,
        [SUB, 'world', 'exec', ...flags, '--', '/bin/sh', '-c', 'echo x > n'],
        { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      if (status !== 0) throw new Error(`the command has ended with ${status}: ${stderr.toString()}`);
      return performance.now() - from;
    };
  };
  const kinds = { layer: exec('with', []), through: exec('without', ['--write-through']) };
  const samples = { layer: [], through: [] };
  try {
    for (const run of Object.values(kinds)) run();
    for (let at = 0; at < execs; at += 1)
      for (const [name, run] of Object.entries(kinds)) samples[name].push(run());
  } finally {
    for (const name of ['with', 'without'])
      spawnSync(process.execPath, [SUB, 'world', 'close'], { cwd: join(root, name), env });
    gateway.stdin.end();
    await once(gateway, 'exit');
  }
  const more = median(samples.layer.map((ms, at) => ms - samples.through[at]));
  table(
    ['sub world exec, its world is up', 'p50 ms', 'more (goal 4)'],
    [
      ['without a layer', figure(median(samples.through)), ''],
      ['with one, and its diff', figure(median(samples.layer)), figure(more)],
    ],
  );
  console.log();
}

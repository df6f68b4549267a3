import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub, SUB } from '../harness/sub.js';

let home: TestHome;
const folder = mkdtempSync(join(tmpdir(), 'left-'));
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true });
});

/** A shell's words for `sub WORDS`, whose output and exit code go to `name`. */
const sub = (name: string, words: string, at: string = home.home): string => {
  const out = join(folder, name);
  return `sh -c '"$0" "$@" > ${out}.out 2>&1; echo $? > ${out}.code' ${process.execPath} ${SUB} ${words} --home ${at}`;
};
const ended = (name: string): boolean =>
  existsSync(join(folder, `${name}.code`)) && readFileSync(join(folder, `${name}.code`), 'utf8') !== '';
const outcome = (name: string): readonly [code: string, out: string] => [
  readFileSync(join(folder, `${name}.code`), 'utf8').trim(),
  readFileSync(join(folder, `${name}.out`), 'utf8'),
];
const REFUSED = ['3', expect.stringContaining('error[inside_run]: this command is refused inside a run')];

/** A run that lives until its standard input ends, and does this first. */
function runOf(script: string): ChildProcess {
  const args = [
    SUB,
    'run',
    '--agent',
    'leaver',
    '--home',
    home.home,
    '--',
    'sh',
    '-c',
    `${script}\ncat > /dev/null`,
  ];
  return spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
}

async function end(run: ChildProcess): Promise<void> {
  const exit = once(run, 'exit');
  run.stdin?.end();
  await exit;
}

const listed = async (): Promise<string> =>
  (await runSub(['allow', 'list', '--home', home.home, '--json'])).stdout;

describe('a process that left its parents is still inside the run', () => {
  const escapes = (): ReadonlyMap<string, string> =>
    new Map([
      ['new-session', `setsid -f ${sub('new-session', 'allow add new-session.example')}`],
      ['orphan', `( ( sleep .3; ${sub('orphan', 'allow add orphan.example')} ) & )`],
      ['no-environment', `env -i ${sub('no-environment', 'allow add no-environment.example')}`],
      ['waited-session', `setsid -w ${sub('waited-session', 'allow add waited-session.example')}`],
      [
        'double-fork',
        `setsid -w sh -c '( ( sleep .3; exec env -i "$@" ) & )' x ${sub('double-fork', 'allow add double-fork.example')}`,
      ],
      ['down', `setsid -f ${sub('down', 'down')}`],
      ['call', `setsid -f ${sub('call', 'call service.api_call --url https://call.example/')}`],
    ]);

  it('whichever way it left, and what it tried is recorded with the run', async () => {
    const ways = escapes();
    const run = runOf([...ways.values()].join('\n'));
    await eventually('all were refused', () => [...ways.keys()].every(ended), 30_000);
    await end(run);
    for (const name of ways.keys()) {
      if (name !== 'call') expect([name, ...outcome(name)]).toEqual([name, ...REFUSED]);
    }
    expect(outcome('call')).toEqual(['3', expect.stringContaining('not_allowed')]);
    expect(await listed()).not.toContain('.example');

    const [runs] = (await runSub(['runs', '--home', home.home, '--json'])).stdout.split('\n');
    const { run_id: runId } = JSON.parse(runs ?? '') as { run_id: string };
    const asked = await runSub(['query', '--refused', '--run', runId, '--home', home.home, '--json']);
    const rows = asked.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = rows.map(({ action, summary }) => [action, summary]);
    expect(told).toContainEqual(['verb.refused', '`sub down` is refused inside a run']);
    expect(told.filter(([, summary]) => String(summary).includes('`sub allow add`'))).toHaveLength(5);
    expect(told.map(([action]) => action)).toContain('service.api_call');
  });

  it('also where it took the ticket away, or names a folder of links to the key and the socket as the home', async () => {
    const links = join(folder, 'links');
    const run = runOf(
      [
        `mkdir -m 700 ${links} ${links}/run`,
        `ln -s ${home.home}/keys ${links}/keys`,
        `ln -s ${home.home}/run/gateway.sock ${home.home}/run/gateway.json ${links}/run/`,
        sub('links', 'allow add links.example', links),
        `rm ${home.home}/run/tickets/*`,
        `setsid -f env -i ${sub('no-ticket', 'allow add no-ticket.example')}`,
      ].join('\n'),
    );
    await eventually('both were refused', () => ended('links') && ended('no-ticket'), 30_000);
    await end(run);
    expect(['links', 'no-ticket'].map(outcome)).toEqual([REFUSED, REFUSED]);
    expect(await listed()).not.toContain('.example');
    const { stdout } = await runSub(['query', '--refused', '--home', home.home, '--json']);
    expect(
      stdout.split('\n').filter((line) => line.includes('`sub allow add` is refused')).length,
    ).toBeGreaterThan(6);
  });

  it('also where the run is over when it asks', async () => {
    const run = runOf(`setsid -f ${sub('after', 'allow add after.example')}`);
    await end(run);
    await eventually('it was refused', () => ended('after'));
    expect(outcome('after')).toEqual(REFUSED);
    expect(await listed()).not.toContain('.example');
  });
});

describe('the operator is outside of a run that lives', () => {
  let run: ChildProcess;
  beforeAll(async () => {
    run = runOf(`touch ${join(folder, 'lives')}`);
    await eventually('the run lives', () => existsSync(join(folder, 'lives')));
  });
  afterAll(() => end(run));

  it('in a job of the shell that the run was started from, and in what that shell left behind', async () => {
    const script = [
      'set -m',
      `${process.execPath} ${SUB} run --home ${home.home} -- sleep 60 &`,
      'held=$!',
      `${sub('job', 'allow add job.example')} & wait $!`,
      `( ( ${sub('left-job', 'allow add left-job.example')} ) & )`,
      'kill -STOP $held',
      sub('stopped', 'allow add stopped.example'),
      `while [ ! -s ${join(folder, 'left-job')}.code ]; do sleep .05; done`,
      'kill -CONT $held; kill $held; wait $held',
    ].join('\n');
    spawnSync('setsid', ['-w', 'bash', '-c', script], { stdio: 'ignore' });
    for (const name of ['job', 'left-job', 'stopped'])
      expect([name, ...outcome(name)]).toEqual([name, '0', expect.any(String)]);
  });

  it('below a parent that made a session of its own, as a server of terminals does', async () => {
    const window = `setsid -w ${sub('window', 'allow add window.example')}`;
    spawnSync('setsid', ['-f', 'sh', '-c', `${window}; true`], { stdio: 'ignore' });
    await eventually('it was added', () => ended('window'));
    expect(outcome('window')).toEqual(['0', expect.any(String)]);
  });

  it.skipIf(spawnSync('tmux', ['-V']).status !== 0)('in a window of tmux', async () => {
    const tmux = (...args: string[]) =>
      spawnSync('tmux', ['-S', join(folder, 'tmux'), ...args], { stdio: 'ignore' });
    tmux('-f', '/dev/null', 'new-session', '-d', sub('tmux', 'allow add tmux.example'));
    await eventually('it was added', () => ended('tmux'));
    tmux('kill-server');
    expect(outcome('tmux')).toEqual(['0', expect.any(String)]);
  });

  it('where its environment names a run that was over before', async () => {
    const runs = await runSub(['runs', '--home', home.home, '--json']);
    const line = runs.stdout.trim().split('\n').at(-1);
    const { run_id: runId, ended_at: at } = JSON.parse(line ?? '') as { run_id: string; ended_at: string };
    await eventually('that run is over for long', () => Date.now() > Date.parse(at) + 2500);
    const added = await runSub(['allow', 'add', 'stale.example', '--home', home.home], {
      env: { ...process.env, SUB_RUN_ID: runId },
    });
    expect([added.code, added.stderr]).toEqual([0, '']);
  });
});

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { finished, SUB } from '../harness/sub.js';

let home: TestHome;
beforeEach(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterEach(() => home.remove());

const sub = (verb: string, ...args: string[]) => runSub([verb, '--home', home.home, ...args]);
const json = async (verb: string, ...args: string[]): Promise<unknown> =>
  JSON.parse((await sub(verb, ...args, '--json')).stdout);
const STOPPED = /panic\.begin +stopped +a key leaked/;
const anAgent = () => sub('run', '--', process.execPath, '-e', '');

describe('sub panic', () => {
  it('refuses every run until sub resume', async () => {
    expect(await json('panic', '--reason', 'stop')).toMatchObject({
      panicked: true,
      already: false,
      runs_ended: 0,
    });
    expect((await sub('panic')).stderr).toContain('`sub resume` lets runs begin again');
    expect(await anAgent()).toMatchObject({ code: 3, stderr: expect.stringContaining('error[panicked]') });
    expect((await anAgent()).stderr).toContain('`sub resume` lets runs begin again');
    expect((await sub('up')).stderr).toBe('everything is stopped: `sub resume` lets runs begin again\n');
    expect((await sub('status')).stdout).toContain('everything, since');
    expect(await json('resume')).toEqual({ resumed: true });
    expect(await anAgent()).toMatchObject({ code: 0 });
    expect(await json('resume')).toEqual({ resumed: false });
  });

  it('stands among the actions, with its reason, and so does what let it go', async () => {
    await sub('panic', '--reason', 'a key leaked');
    await sub('resume');
    const lines = (await sub('query', 'action:panic.*')).stdout.trim().split('\n').slice(1);
    expect(lines).toEqual([expect.stringMatching(/panic\.end +resumed/), expect.stringMatching(STOPPED)]);
    for (const filter of ['action:panic.begin', 'status:stopped', 'leaked', 'action:panic.begin -is:open'])
      expect((await sub('query', filter)).stdout, filter).toMatch(STOPPED);
    expect((await sub('query', 'status:resumed')).stdout).toContain('panic.end');
    expect((await sub('query', '--refused')).stdout).not.toContain('panic');
    expect((await sub('tail', '--no-follow')).stdout).toMatch(/stopped +panic\.begin +a key leaked/);
    expect(await json('query', 'action:panic.begin')).toMatchObject({
      kind: 'action',
      action: 'panic.begin',
      status: 'success',
      summary: 'a key leaked',
    });
    const seq = /\d+/.exec(lines[1] ?? '')?.[0] ?? '';
    expect((await sub('show', seq)).stdout).toMatch(/why +a key leaked/);
  });

  it('works inside a run, which it ends; the way back is not open there', async () => {
    const inside = `const { spawnSync } = require('node:child_process');
      const run = (verb) => spawnSync(process.execPath, [${JSON.stringify(SUB)}, verb, '--home', ${JSON.stringify(home.home)}]).status;
      process.exitCode = run('panic') * 10 + run('resume');`;
    expect(await sub('run', '--', process.execPath, '-e', inside)).toMatchObject({ code: 3 });
    expect(await json('status')).toMatchObject({ panicked: { reason: '' }, runs: { live: 0 } });
    const [ended] = (await sub('runs', '--json')).stdout.split('\n');
    expect(JSON.parse(ended ?? '')).toMatchObject({ status: 'TERMINATED' });
  });

  it('is held up by no reason that is too long: its beginning is kept', async () => {
    const { code, stderr } = await sub('panic', '--reason', `${'x'.repeat(499)}\u{1f600}${'y'.repeat(5000)}`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('of the reason 499 characters were kept\n')]);
    expect(await json('status')).toMatchObject({ panicked: { reason: 'x'.repeat(499) } });
  });

  it('starts a gateway where none runs, which refuses everything', async () => {
    expect(await sub('down')).toMatchObject({ code: 0 });
    expect(await json('panic')).toMatchObject({ panicked: true, runs_ended: null, killed: null });
    expect(await anAgent()).toMatchObject({ code: 3 });
  });

  it('kills a gateway that does not answer, and says so', async () => {
    const { pid } = JSON.parse(readFileSync(join(home.home, 'run', 'gateway.json'), 'utf8')) as {
      pid: number;
    };
    process.kill(pid, 'SIGSTOP');
    const { code, stderr, stdout } = await sub('panic', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ killed: pid })]);
    expect(stderr).toContain(`it is killed (pid ${pid})`);
    expect(await anAgent()).toMatchObject({ code: 3 });
  });

  it('leaves its mark where no gateway can start', async () => {
    await stopGateway(home.home);
    const config = join(home.home, 'config.toml');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, 'no = toml =');
    expect(await sub('panic')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('everything is marked as stopped'),
    });
    writeFileSync(config, text);
    expect(await anAgent()).toMatchObject({ code: 3 });
  });

  it('tells the gateway also where no mark can be written, and says that it will not last', async () => {
    const { pid } = JSON.parse(readFileSync(join(home.home, 'run', 'gateway.json'), 'utf8')) as {
      pid: number;
    };
    mkdirSync(join(home.home, `panicked.new-${pid}`));
    const script = `mkdir "$1/panicked.new-$$"; exec "$2" "$3" panic --home "$1" --json`;
    const panic = spawn('/bin/sh', ['-c', script, 'sh', home.home, process.execPath, SUB]);
    const { code, stdout } = await finished(panic, 30_000);
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ panicked: true, mark: null })]);
    expect(await anAgent()).toMatchObject({ code: 3, stderr: expect.stringContaining('error[panicked]') });
  });
});

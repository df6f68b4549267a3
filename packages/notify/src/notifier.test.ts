import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '@subluminal/gateway';
import { type Notice, noticeLine } from './message.js';
import { Notifier } from './notifier.js';
import { type ProgramEnd, type StartProgram, startProgram } from './program.js';

let folder: string;
let program: string;
let logged: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-notify-'));
  program = join(folder, 'tell');
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = (): Logger => {
  const keep = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`);
  return { debug: keep, info: keep, warn: keep, error: keep };
};
const APPROVAL: Notice = {
  event: 'approval_requested',
  id: 'approval-1',
  action: 'service.api_call',
  client: 'run-1',
  destination: 'https://example.com',
  summary: 'to \u202e\u001b[2J with ghp_0123456789abcdefghijABCDEFGHIJ0123456789',
  expiresAtMs: 60_000,
};

/** An executable that a shell interprets, ours alone. */
function script(text: string): void {
  writeFileSync(program, `#!/bin/sh\n${text}\n`);
  chmodSync(program, 0o700);
}

describe('the program of the operator', () => {
  it('reads one line of JSON, without credentials and control characters, in a fixed environment', async () => {
    script(`cat > ${folder}/said; env > ${folder}/env; pwd >> ${folder}/env; echo "$@" > ${folder}/args`);
    process.env['SUB_TEST_LEAK'] = 'leaked';
    const ended = startProgram([program, 'a b', '$(id)'], 'line\n', 10_000);
    delete process.env['SUB_TEST_LEAK'];
    expect(await ended.ended).toEqual({ ok: true, why: 'it ended with 0' });
    expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('line\n');
    expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('a b $(id)\n');
    const env = readFileSync(join(folder, 'env'), 'utf8');
    expect(env).not.toContain('leaked');
    expect(env.trimEnd().endsWith('\n/')).toBe(true);
  });

  it('is ended with all that it started when it takes too long', async () => {
    script(`sleep 30 & echo $! > ${folder}/child; wait`);
    const { ended } = startProgram([program], '', 300);
    expect(await ended).toEqual({ ok: false, why: 'it took longer than 300 ms' });
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await expect.poll(() => existsSync(`/proc/${child}/exe`)).toBe(false);
  });

  it('is not waited for when what it left behind keeps its stderr open', async () => {
    script(`setsid sleep 30 & echo $! > ${folder}/child; echo said >&2`);
    const { ended } = startProgram([program], '', 20_000);
    expect(await ended).toEqual({ ok: true, why: 'it ended with 0: said\n' });
    process.kill(Number(readFileSync(join(folder, 'child'), 'utf8')), 'SIGKILL');
  });

  it('that complains is heard, and no more than a little', async () => {
    script('i=0; while [ $i -lt 2000 ]; do echo complaint >&2; i=$((i+1)); done; exit 3');
    const { why } = await startProgram([program], '', 10_000).ended;
    expect(why).toMatch(/^it ended with 3: complaint/);
    expect(why.length).toBeLessThan(600);
  });

  it('that does not read is no harm', async () => {
    script('exec <&-; exit 0');
    expect(await startProgram([program], 'x'.repeat(200_000), 10_000).ended).toMatchObject({ ok: true });
  });

  it.each([
    ['that others can write', () => (script('true'), chmodSync(program, 0o777)), 'can be written by others'],
    [
      'in a folder that others can write',
      () => (script('true'), chmodSync(folder, 0o777)),
      'can be written by others',
    ],
    ['that is not there', () => undefined, 'cannot be run'],
    ['that is not executable', () => (script('true'), chmodSync(program, 0o600)), 'cannot be run'],
    ['that is a folder', () => void (program = folder), 'is not a file'],
  ])('%s is not started', (_, make, why) => {
    make();
    expect(() => startProgram([program], '', 1000)).toThrow(why);
  });
});

describe('telling the operator', () => {
  it('says what waits, escaped and without credentials', async () => {
    script(`cat > ${folder}/said`);
    const notifier = new Notifier({ argv: () => [program], start: startProgram, clock: () => 0, log: log() });
    notifier.tell(APPROVAL);
    await expect
      .poll(() => existsSync(join(folder, 'said')) && readFileSync(join(folder, 'said'), 'utf8'))
      .toContain('\n');
    expect(JSON.parse(readFileSync(join(folder, 'said'), 'utf8'))).toEqual({
      v: 1,
      event: 'approval_requested',
      at: '1970-01-01T00:00:00.000Z',
      missed: 0,
      approval_id: 'approval-1',
      action: 'service.api_call',
      run_id: 'run-1',
      destination: 'https://example.com',
      summary: expect.stringMatching(/^to \ufffd\ufffd\[2J with \[/),
      expires_at: '1970-01-01T00:01:00.000Z',
    });
    expect(logged).toEqual([]);
  });

  it('says where what waits is longer than it tells', () => {
    const line = noticeLine({ ...APPROVAL, summary: `git push ${'x'.repeat(600)}` }, { nowMs: 0, missed: 0 });
    const { summary } = JSON.parse(line) as { summary: string };
    expect([summary.length, summary.slice(-2)]).toEqual([500, 'x…']);
  });

  it('is bounded: two at once, thirty a minute, and it says how many were missed', async () => {
    const started: string[] = [];
    const ends: ((end: ProgramEnd) => void)[] = [];
    const start: StartProgram = (_, input) => {
      started.push(input);
      return { ended: new Promise((resolve) => ends.push(resolve)), kill: () => undefined };
    };
    let now = 0;
    const notifier = new Notifier({ argv: () => ['/x'], start, clock: () => now, log: log() });
    for (let at = 0; at < 40; at += 1) notifier.tell(APPROVAL);
    expect(started).toHaveLength(2);
    const finish = async (): Promise<void> => {
      while (ends.length > 0) {
        ends.shift()?.({ ok: true, why: '' });
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await finish();
    expect(started).toHaveLength(18);
    for (let at = 0; at < 40; at += 1) {
      notifier.tell(APPROVAL);
      await finish();
    }
    expect(started).toHaveLength(30);
    now = 60_000;
    notifier.tell(APPROVAL);
    await finish();
    expect(started).toHaveLength(31);
    const missed = started.map((line) => (JSON.parse(line) as { missed: number }).missed);
    expect(missed.reduce((sum, count) => sum + count, 0)).toBe(81 - 31);
  });

  it('fails without harm, and is logged', () => {
    const notifier = new Notifier({
      argv: () => ['/nonexistent/x'],
      start: startProgram,
      clock: () => 0,
      log: log(),
    });
    notifier.tell(APPROVAL);
    expect(logged.join()).toContain('the operator could not be told');
  });

  it('tells what waits also where one before it could not be started, and says that it was missed', async () => {
    const started: string[] = [];
    let end: (how: ProgramEnd) => void = () => undefined;
    const start: StartProgram = (_, input) => {
      started.push(input);
      if (started.length === 2) throw new Error('no process to be had');
      return { ended: new Promise((resolve) => (end = resolve)), kill: () => undefined };
    };
    const notifier = new Notifier({ argv: () => ['/x'], start, clock: () => 0, log: log(), maxRunning: 1 });
    for (let at = 0; at < 3; at += 1) notifier.tell(APPROVAL);
    end({ ok: true, why: '' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(started.map((line) => (JSON.parse(line) as { missed: number }).missed)).toEqual([0, 0, 1]);
  });

  it('ends what runs when the gateway stops', async () => {
    script(`echo $$ > ${folder}/pid; sleep 30`);
    const notifier = new Notifier({ argv: () => [program], start: startProgram, clock: () => 0, log: log() });
    notifier.tell(APPROVAL);
    const pid = () =>
      existsSync(join(folder, 'pid')) ? Number(readFileSync(join(folder, 'pid'), 'utf8')) : 0;
    await expect.poll(pid).toBeGreaterThan(0);
    notifier.stop();
    await expect.poll(() => existsSync(`/proc/${pid()}/exe`)).toBe(false);
  });
});

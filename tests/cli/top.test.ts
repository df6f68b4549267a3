import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';
import { bundle, deny } from '../gateway/policy-bundle.js';

const POLICY = bundle(
  [
    {
      enabled: true,
      severity: 'warn',
      rule_id: 'pushes',
      kind: 'ask',
      match: { command: { argv: ['git push*'] } },
      effect: { action: 'ASK', message: 'pushes are asked about' },
    },
    deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move it instead' }),
  ],
  { mode: 'control' },
);
const ENTER = '\u001b[?1049h\u001b[?25l';
const CODES = new RegExp(String.raw`${'\u001b'}\[(?:\d+m|K|J)`, 'g');
const LEAVE = '\u001b[?25h\u001b[?1049l';

let at: TestHome;
let run: AskingRun;
const sub = (...args: string[]) => runSub(args, { env: { PATH: process.env['PATH'], SUB_HOME: at.home } });

beforeAll(async () => {
  at = createHome({ policy: POLICY });
  await at.startWatched();
  run = await askingRun(at.home);
  await run.decided('rm -r old');
}, 180_000);
afterAll(async () => {
  await run.end();
  await at.remove();
});

describe('one screen as text', () => {
  it('names the newest refusal, its rule and how to go on', async () => {
    const { stdout, code } = await sub('top', '--once');
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 live · policy \S+ control/);
    expect(stdout).toMatch(/^> \S+ +\d+ +\S+ +hinted +.*rm -r old/m);
    expect(stdout).toContain('no-rm');
    expect(stdout).toContain('sub policy explain');
  });

  it('counts the calls of each run that lives', async () => {
    const { stdout } = await sub('top', '--once');
    expect(stdout).toMatch(/RUN +AGENT .*CALLS +A MINUTE +REFUSED/);
    expect(stdout).toContain(run.id.slice(-6));
  });

  it('has the same for programs', async () => {
    const value = JSON.parse((await sub('top', '--json')).stdout);
    expect(value).toMatchObject({
      running: true,
      panicked: false,
      runs: [{ run_id: run.id, status: 'RUNNING' }],
      refused: [{ kind: 'call', run_id: run.id, decision: 'REJECT_WITH_HINT' }],
    });
  });

  it('says that there is no terminal, and what to use there', async () => {
    const { code, stderr } = await sub('top');
    expect(code).toBe(2);
    expect(stderr).toContain('sub top --once');
  });
});

describe.runIf(existsSync('/usr/bin/script'))('a screen that keeps up', () => {
  it('shows a refusal as it comes, keeps within the terminal, and gives it back', async () => {
    const child = spawn(
      '/usr/bin/script',
      ['-qec', `stty rows 24 cols 80; exec ${process.execPath} ${SUB} top`, '/dev/null'],
      {
        env: { PATH: process.env['PATH'], SUB_HOME: at.home, TERM: 'xterm' },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    try {
      await eventually('the screen is drawn', () => seen.includes('rm -r old'));
      await run.decided('rm -r \u001b[2Jnew');
      await eventually('the next refusal is there', () => framesOf(seen).at(-1)?.includes('new') === true);
      child.stdin.write('j');
      await eventually('the one before is told about', () =>
        /^> .*rm -r old/m.test(framesOf(seen).at(-1) ?? ''),
      );
      child.stdin.write('\r');
      await eventually('it alone is shown', () => framesOf(seen).at(-1)?.includes('Esc back') === true);
      child.stdin.write('q');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
    expect(seen.startsWith(ENTER)).toBe(true);
    expect(seen.trimEnd().endsWith(LEAVE)).toBe(true);
    for (const frame of framesOf(seen)) {
      const lines = frame.split('\n');
      expect(lines.length).toBeLessThanOrEqual(24);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
      expect(frame).not.toContain('\u001b');
    }
  });

  it('gives the terminal back when it is ended from outside', async () => {
    const child = spawn(
      '/usr/bin/script',
      ['-qec', `echo PID $$; exec ${process.execPath} ${SUB} top`, '/dev/null'],
      {
        env: { PATH: process.env['PATH'], SUB_HOME: at.home, TERM: 'xterm' },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await eventually('the screen is drawn', () => seen.includes('rm -r old'));
    process.kill(Number(/PID (\d+)/.exec(seen)?.[1]), 'SIGTERM');
    expect(await ended).toBe(0);
    expect(seen.trimEnd().endsWith(LEAVE)).toBe(true);
  });
});

it('a call that a person was asked about is counted apart from those that were refused', async () => {
  const asking = await askingRun(at.home);
  await asking.asked('git push origin main');
  await asking.decided('rm -r asked-beside');
  const { stdout } = await sub('top', '--once');
  expect(stdout).toMatch(/CALLS +A MINUTE +REFUSED +ASKED/);
  expect(stdout).toMatch(new RegExp(`${asking.id.slice(-6)} .* 2 +\\d+ +1 +1 +0`));
  expect(stdout).toMatch(/^REFUSED OR ASKED, the newest of \d+ first/m);
  expect(stdout).toMatch(/ asked +.*git push origin/);
  await asking.end();
});

/** All screens that were drawn, without the codes of colours and of the ends of lines. */
function framesOf(seen: string): readonly string[] {
  return seen
    .split('\u001b[H')
    .slice(1)
    .map((frame) => frame.replaceAll('\r', '').replaceAll(CODES, '').replace(LEAVE, '').trimEnd());
}

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually, watchEnd } from '../harness/processes.js';
import { Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 480_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const KILLS = process.env['SUB_LONG'] === undefined ? 20 : 200;
const AT_ONCE = 5;
/** A program that leaves behind whatever a program can. */
const CLINGING = "trap '' TERM HUP; sleep 300 & setsid sleep 300 & (setsid sh -c 'sleep 300 &' &); sleep 300";

describe.skipIf(why !== undefined)(`a world${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let stage: Stage;
    const children = new Set<ChildProcess>();

    beforeAll(async () => {
      stage = new Stage(uid);
      await stage.start({});
    });
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL');
      await stage.remove();
    });

    const begin = (
      script: string,
      flags: readonly string[] = ['--fresh'],
      onTerminal = false,
    ): ChildProcess => {
      const exec = [process.execPath, SUB, 'world', 'exec', ...flags, '--home', stage.home];
      const words = [...exec, '--', '/bin/sh', '-c', script];
      // On a terminal what is typed comes from the pipe, and Ctrl-C is a byte of it.
      const typed = ['/usr/bin/script', '-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
      const [command, ...args] = stage.asUser(...(onTerminal ? typed : words));
      const child = spawn(command, args, {
        cwd: stage.project,
        stdio: [onTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        env: { PATH: '/usr/bin:/bin' },
      });
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    };
    const endOf = (child: ChildProcess): Promise<number | null> =>
      new Promise((resolve) => child.once('exit', (code) => resolve(code)));

    it.concurrent.each([
      ['its own', 'exit 7', 7],
      ['that of a signal which ended it', 'kill -9 $$', 137],
      ['127 where it is not there', 'exec /no/such/program', 127],
    ])('ends with the exit code of its program: %s', async (_name, script, code) => {
      expect(await endOf(begin(script))).toBe(code);
    });

    it.concurrent('says of a program that is not there that it is not in the world', async () => {
      const end = await stage.sub('world', 'exec', '--fresh', '--', 'no-such-program');
      expect(end).toMatchObject({
        code: 127,
        stderr: expect.stringContaining('`no-such-program` is not in the world') as string,
      });
    });

    it.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const)(
      'hands %s on to its program',
      async (signal) => {
        const child = begin(
          `trap 'echo heard; exit 3' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`,
        );
        let said = '';
        child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
        await eventually('it is ready', () => said.includes('ready'));
        child.kill(signal);
        expect(await endOf(child)).toBe(3);
        expect(said).toContain('heard');
      },
    );

    it.each([
      ['a signal comes before it begins, in a world of its own', ['--fresh'], false],
      ['a signal comes before it begins, in the world of its folder', [], false],
      ['Ctrl-C comes before it begins, in a world of its own', ['--fresh'], true],
    ])('calls its program off when %s', async (_name, flags, onTerminal) => {
      expect(await endOf(begin('exit 0', flags, onTerminal))).toBe(0);
      const calledOff = async (ms: number): Promise<number | null> => {
        const child = begin('sleep 5', flags, onTerminal);
        const ended = endOf(child);
        // A key that is typed before somebody is on the terminal reaches nobody.
        if (onTerminal)
          await eventually('it is on its terminal', () => [...below(child.pid ?? 0)].length > 2);
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (onTerminal) child.stdin?.write('\u0003');
        else child.kill('SIGTERM');
        return await ended;
      };
      const codes: (number | null)[] = [];
      for (let ms = 100; ms < 420; ms += 40) codes.push(await calledOff(ms));
      await stage.sub('world', 'close');
      // That of the signal, or `sub` itself ends by it before it heeds any; never the end of a sleep.
      const ofSignal = onTerminal ? 130 : 143;
      expect(codes.filter((code) => code !== ofSignal && code !== null)).toEqual([]);
    });

    const nothingRuns = (): boolean => stage.processes().length === 0;
    /** Tells whether all of these have ended: before that, a world may still be on its way. */
    const ends = (pids: readonly number[]): (() => boolean) => {
      const all = pids.map((pid) => watchEnd(pid));
      return () => all.every((hasEnded) => hasEnded());
    };

    it('leaves nothing when any process of it is killed, at whatever moment', async () => {
      const killed = async (at: number): Promise<() => boolean> => {
        const child = begin(CLINGING);
        const ended = endOf(child);
        await new Promise((resolve) => setTimeout(resolve, (at * 977) % 1500));
        const all = [...below(child.pid ?? 0)];
        const areGone = ends(all);
        const victim = all[(at * 7) % Math.max(all.length, 1)] ?? child.pid ?? 0;
        try {
          process.kill(victim, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
        // One of the sleepers is nobody whom the others miss.
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300))]);
        child.kill('SIGKILL');
        await ended;
        return areGone;
      };
      // Some at once: most of such a world's time is waited for.
      for (let at = 0; at < KILLS; at += AT_ONCE) {
        const areGone = await Promise.all(
          Array.from({ length: AT_ONCE }, (_one, index) => killed(at + index)),
        );
        await eventually(
          `nothing runs after kills ${at} to ${at + AT_ONCE - 1}`,
          () => areGone.every((one) => one()) && nothingRuns(),
        );
        expect(nothingRuns()).toBe(true);
      }
    });

    it('leaves nothing when its command is killed while bubblewrap puts it together', async () => {
      const textOf = (path: string): string => {
        try {
          return readFileSync(path, 'utf8');
        } catch {
          return '';
        }
      };
      /** Holds bubblewrap as soon as it has made the world's first process, which waits for it then. */
      const held = (child: ChildProcess): number => {
        for (let pid = 0, until = performance.now() + 10_000; performance.now() < until;) {
          pid ||=
            [...below(child.pid ?? 0)].find((one) =>
              textOf(`/proc/${one}/cmdline`).startsWith('/usr/bin/bwrap'),
            ) ?? 0;
          if (pid === 0 || textOf(`/proc/${pid}/task/${pid}/children`) === '') continue;
          process.kill(pid, 'SIGSTOP');
          return pid;
        }
        throw new Error('bubblewrap did not begin');
      };
      for (let round = 0; round < KILLS; round += 1) {
        const child = begin('sleep 300');
        const ended = endOf(child);
        await eventually('it begins', () => [...below(child.pid ?? 0)].length > 1);
        const bubblewrap = held(child);
        const areGone = ends([...below(child.pid ?? 0)]);
        child.kill('SIGKILL');
        await ended;
        try {
          process.kill(bubblewrap, 'SIGCONT');
        } catch {
          // It has ended.
        }
        await eventually(`nothing runs after kill ${round}`, () => areGone() && nothingRuns());
        expect(nothingRuns()).toBe(true);
      }
    });

    it('has mounts that the machine does not see', async () => {
      const mounts = (pid: number | 'self'): string => readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
      const before = mounts('self');
      const child = begin('echo ready; sleep 300');
      await eventually('it runs', () => stage.processes().length > 0);
      const [inside = 0] = stage.processes();
      expect(mounts(inside)).toContain(` ${stage.project} `);
      expect(mounts('self')).toBe(before);
      child.kill('SIGKILL');
      await eventually('it is gone', nothingRuns);
    });

    it('has no network any more when the gateway is killed, and ends with its program', async () => {
      const script =
        'while :; do curl -sm2 -o /dev/null -w "%{http_code} " http://1.2.3.4/ || echo "cut"; sleep 0.1; done';
      const child = begin(script);
      let said = '';
      child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await eventually('the gateway answers', () => said.includes('403'));
      await stage.killGateway();
      await eventually('it has no network', () => said.includes('cut'));
      const [, after = ''] = said.split('cut');
      expect(after).not.toContain('403');
      child.kill('SIGKILL');
      await eventually('nothing of it runs', () => stage.processes().length === 0);
    });
  });
});

/** The processes below one, and the helpers of worlds, which are below the gateway. */
function* below(pid: number): Generator<number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = new Set([pid]);
  for (const [one, parent] of [...parents].toSorted(([a], [b]) => a - b))
    if (found.has(parent)) found.add(one);
  yield* found;
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { attachCommand, wordsOfProgram } from '@subluminal/worlds';
import { eventually } from '../harness/processes.js';
import { Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const hasScript = existsSync('/usr/bin/script');

const POLICY = `policy_id: worlds
version: '1'
description: one rule
mode: guardrails
defaults: { decision_on_error: BLOCK, no_match: ALLOW }
selectors: {}
rules:
  - rule_id: no-push
    kind: deny
    enabled: true
    severity: critical
    match:
      command: { argv: ['git push*'] }
    effect: { action: BLOCK, reason_code: POLICY_VIOLATION, message: pushing is for people }
`;

describe.skipIf(why !== undefined)(`the world of a folder${absent}`, () => {
  describe.each(USERS)('of %s', (_, uid) => {
    let stage: Stage;

    beforeAll(async () => {
      stage = new Stage(uid);
      await stage.start({});
    });
    afterAll(async () => {
      await stage.sub('world', 'close', '--all');
      await stage.remove();
    });

    const exec = (script: string, ...flags: readonly string[]): ReturnType<Stage['sub']> =>
      stage.sub('world', 'exec', ...flags, '--', '/bin/sh', '-c', script);
    const lastLine = (text: string): unknown => JSON.parse(text.trim().split('\n').at(-1) ?? '');
    const worlds = async (): Promise<readonly { holder: { pid: number }; world_id: string }[]> => {
      const { stdout } = await stage.sub('world', 'status', '--json');
      return (JSON.parse(stdout) as { worlds: { holder: { pid: number }; world_id: string }[] }).worlds;
    };
    const door = (): string => {
      const folder = join(stage.home, 'run/worlds');
      const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.sock'));
      return join(folder, name);
    };

    it('is the same for one command after the other, which leave their processes there', async () => {
      const first = await exec('sleep 300 > /dev/null 2>&1 & echo $! > /tmp/pid; echo one', '--json');
      expect([first.code, first.stdout]).toEqual([0, 'one\n']);
      const second = await exec('kill -0 $(cat /tmp/pid) && echo lives; exit 7', '--json');
      expect([second.code, second.stdout]).toEqual([7, 'lives\n']);
      const [one, two] = [lastLine(first.stderr), lastLine(second.stderr)] as { [name: string]: unknown }[];
      expect(two).toEqual({ exit: 7, span_id: expect.any(String) as string, world_id: one?.['world_id'] });
      expect(two?.['span_id']).not.toBe(one?.['span_id']);
    });

    it('has each command decided and recorded as a call of the run that the world is in', async () => {
      await stage.decideBy(POLICY);
      const refused = await stage.sub('world', 'exec', '--', 'git', 'push', 'origin', 'main');
      expect(refused).toMatchObject({
        code: 126,
        stderr: expect.stringContaining('blocked by policy: pushing is for people') as string,
      });
      expect((await exec('git push origin')).code).toBe(126);
      expect((await exec('exit 3')).code).toBe(3);
      await eventually('the end is recorded', () =>
        stage.rows().some(({ type, code }) => type === 'tool_call_end' && code === 'ERROR'),
      );
      const decisions = stage.rows().filter(({ type }) => type === 'tool_call_decision');
      expect(decisions.map(({ code }) => code)).toEqual(['ALLOW', 'ALLOW', 'BLOCK', 'BLOCK', 'ALLOW']);
      expect(new Set(decisions.map(({ runId }) => runId)).size).toBe(1);
      expect(decisions[0]).toMatchObject({ tool: ['world', 'exec'] });
    });

    it('tells a program of a refusal on the last line of stderr, and says nothing on stdout', async () => {
      for (const flags of [[], ['--fresh']]) {
        const push = ['--json', '--', 'git', 'push', 'origin'];
        const { code, stdout, stderr } = await stage.sub('world', 'exec', ...flags, ...push);
        expect([code, stdout, lastLine(stderr)]).toEqual([
          126,
          '',
          { exit: 126, span_id: null, world_id: null },
        ]);
        expect(stderr).toContain('pushing is for people');
      }
      const away = await stage.sub('world', 'exec', '--json', '--read', '/nowhere', '--', 'true');
      expect([away.code, away.stdout, lastLine(away.stderr)]).toEqual([
        125,
        '',
        { exit: 125, span_id: null, world_id: null },
      ]);
    });

    it('records which programs a command has started, and by which one', async () => {
      const end = await exec(
        '/bin/true; /bin/true; (sleep 0.2; /bin/date) > /dev/null 2>&1 & exit 0',
        '--json',
      );
      const { span_id: span } = lastLine(end.stderr) as { span_id: string };
      await eventually('its end is recorded', async () => (await previewOf(span)) !== undefined);
      expect(JSON.parse((await previewOf(span)) ?? '')).toMatchObject({
        exit: 0,
        programs: expect.arrayContaining([
          expect.objectContaining({ path: '/bin/true', count: 2 }) as unknown,
        ]) as unknown,
      });
    });

    it.skipIf(!hasScript)('gives a command on a terminal a terminal of its own', () => {
      const words = [process.execPath, SUB, 'world', 'exec', '--home', stage.home, '--', 'sh', '-c'];
      const command = [...words, `'tty; stty size; echo to-terminal > /dev/tty; exit 5'`].join(' ');
      const [program, ...args] = stage.asUser(
        'script',
        '-qec',
        `stty rows 33 cols 99; ${command}`,
        '/dev/null',
      );
      const end = spawnSync(program, args, {
        cwd: stage.project,
        encoding: 'utf8',
        input: '',
        env: { PATH: '/usr/bin:/bin', TERM: 'xterm' },
      });
      expect([end.status, end.stdout.replaceAll(/\r|\^@/g, '')]).toEqual([
        5,
        '/dev/pts/0\n33 99\nto-terminal\n',
      ]);
    });

    it('ends a command whose client is gone, and nothing else', async () => {
      const client = begin(`trap '' HUP; echo $$ > /tmp/clinging; sleep 300`);
      await eventually('it runs', async () => (await exec('test -s /tmp/clinging')).code === 0);
      client.kill('SIGKILL');
      await eventually(
        'it is gone',
        async () => (await exec('kill -0 $(cat /tmp/clinging) 2>/dev/null')).code !== 0,
      );
      expect((await exec('kill -0 $(cat /tmp/pid) && echo lives')).stdout).toBe('lives\n');
    });

    it.each(['SIGTERM', 'SIGINT', 'SIGUSR1'] as const)('hands %s on to its command', async (signal) => {
      const client = begin(`trap 'exit 3' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`);
      let said = '';
      client.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await eventually('it is ready', () => said.includes('ready'));
      client.kill(signal);
      expect(await new Promise((resolve) => client.once('exit', resolve))).toBe(3);
    });

    it('shows its door to no program of it, and its first process to nobody', async () => {
      const end = await exec(
        `ls ${stage.home} 2>&1; cat /proc/1/environ 2>&1; ls /proc/1/fd 2>&1; find / -name '*.sock' 2>/dev/null`,
      );
      expect(end.stdout).toContain('Permission denied');
      expect(end.stdout).not.toContain('.sock');
    });

    it('refuses a command that is too long for it, and goes on', async () => {
      const long = Array.from({ length: 8 }, () => 'x'.repeat(120_000));
      const end = await stage.sub('world', 'exec', '--', '/bin/true', ...long);
      expect([end.code, end.stderr]).toEqual([126, expect.stringContaining('are too long')]);
      expect((await exec('kill -0 $(cat /tmp/pid) && echo lives')).stdout).toBe('lives\n');
    });

    it('has a first process that none of its programs can bound, slow or stop', async () => {
      const end = await exec(
        'prlimit --pid 1 --nofile=3:3; chrt -i -p 0 1; taskset -p 1 1; renice 19 1; kill -STOP 1; kill -9 1; true',
      );
      expect(end.stderr.match(/Operation not permitted/g)?.length).toBeGreaterThanOrEqual(4);
      expect((await exec('echo goes on')).stdout).toBe('goes on\n');
    });

    it('goes on whatever comes to its door', async () => {
      const huge = Buffer.concat([Buffer.from('E'), Buffer.from([0xff, 0xff, 0xff, 0xff])]);
      const without = Buffer.concat([Buffer.from('E'), Buffer.from([0, 0, 0, 4]), Buffer.alloc(4)]);
      const attacks = [
        Buffer.from('garbage that is no frame'),
        huge,
        without,
        Buffer.from('S\0\0\0\x04\0\0\0\x09'),
      ];
      const ends = attacks.map((bytes) => spoken(door(), bytes));
      const silent = Array.from({ length: 80 }, () => createConnection(door()).on('error', () => undefined));
      await Promise.all(ends);
      for (const socket of silent) socket.destroy();
      expect((await exec('kill -0 $(cat /tmp/pid) && echo lives')).stdout).toBe('lives\n');
    });

    /** Brings words to the door by hand, as the program that does so for `sub`. */
    const broughtFor = (parent: string, ...words: readonly string[]): [string, ...string[]] => {
      const body = wordsOfProgram({ folder: stage.project, env: {}, command: words });
      const file = join(stage.project, 'words');
      writeFileSync(file, body);
      const { command, args } = attachCommand(door(), 0, false);
      return ['/bin/sh', '-c', `exec "$0" "$1" "$2" ${parent} 3< ${file} 4>&2`, command, ...args];
    };

    /** For its own parent, which is known there alone. */
    const brought = (...words: readonly string[]): [string, ...string[]] =>
      broughtFor("$(cut -d' ' -f4 /proc/$$/stat)", ...words);

    it('takes no command that is brought for a process which has ended', () => {
      const [program, ...args] = stage.asUser(...broughtFor('1', '/bin/echo', 'RAN'));
      const end = spawnSync(program, args, { encoding: 'utf8', cwd: stage.project });
      expect([end.status, end.stdout, end.stderr]).toEqual([125, '', '']);
    });

    it('takes no command that a process of a run brings', async () => {
      const [program, ...args] = brought('/bin/echo', 'RAN');
      const inside = await stage.sub('run', '--', program, ...args);
      expect([inside.code, inside.stdout, inside.stderr]).toEqual([
        126,
        '',
        expect.stringContaining('refused inside of a run a command has a world of its own'),
      ]);
      // A parent that has ended does not lead out of it: the environment names the run.
      const adopted = `((sleep 0.5; exec "$0" "$@") > adopted 2>&1 &) & wait; sleep 3; cat adopted`;
      const orphan = await stage.sub('run', '--', '/bin/sh', '-c', adopted, program, ...args);
      expect(orphan.stdout).toContain('refused inside of a run');
      expect((await exec('echo of nobody')).stdout).toBe('of nobody\n');
    });

    it('refuses words that would be others for the kernel than they were judged as', () => {
      for (const words of [
        ['/bin/echo\0', 'RAN'],
        ['/bin/echo', 'RAN\0 not'],
      ]) {
        const [program, ...args] = stage.asUser(...brought(...words));
        const end = spawnSync(program, args, { encoding: 'utf8', cwd: stage.project });
        expect([end.status, end.stdout, end.stderr]).toEqual([126, '', 'refused this is no program\n']);
      }
    });

    it('may not be closed from inside of a run, and is closed by its id', async () => {
      const inside = await stage.sub('run', '--', process.execPath, SUB, 'world', 'close', '--all');
      expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining('inside_run')]);
      // An id may begin with a dash.
      const strange = await stage.sub('world', 'close', '-abcdefghijklmnopqrst');
      expect(strange.stderr).toContain('error[not_found]: `-abcdefghijklmnopqrst` is no world');
      expect((await stage.sub('world', 'close', '--nonsense')).code).toBe(2);
      expect((await stage.sub('world', 'close', '--all', '--nonsense')).code).toBe(2);
      const [world] = await worlds();
      const closed = await stage.sub('world', 'close', world?.world_id ?? '');
      expect(closed).toMatchObject({ code: 0 });
      expect(await worlds()).toEqual([]);
      expect(stage.processes()).toEqual([]);
      expect(readdirSync(join(stage.home, 'run/worlds'))).toEqual([]);
    });

    it('leaves nothing when the process that keeps it is killed, and is made anew for the next command', async () => {
      await exec("exec > /dev/null 2>&1; trap '' TERM HUP; setsid sleep 300 & sleep 300 &");
      const [world] = await worlds();
      process.kill(world?.holder.pid ?? 0, 'SIGKILL');
      await eventually(
        'nothing is left',
        () => stage.processes().length === 0 && stage.keepers().length === 0,
      );
      expect((await exec('echo new')).stdout).toBe('new\n');
    });

    it('is new after a restart', async () => {
      const [before] = await worlds();
      expect((await stage.sub('world', 'restart')).code).toBe(0);
      const [after] = await worlds();
      expect(after?.world_id).not.toBe(before?.world_id);
      expect((await exec('ps ax | grep -c "[s]leep"')).stdout).toBe('0\n');
    });

    it('is asked about before a restart to a gateway that carries no connections, which ends it', async () => {
      const [before] = await worlds();
      const unasked = await stage.sub('egress', 'off', '--json');
      expect([unasked.code, unasked.stdout]).toEqual([2, expect.stringContaining('`--json` cannot ask')]);
      expect(JSON.parse((await stage.sub('egress', '--json')).stdout)).toMatchObject({ written: 'enforce' });
      expect((await stage.sub('egress', 'off')).stdout).toContain('in force with `sub up --restart`');
      const asked = await stage.sub('up', '--restart');
      expect([asked.code, asked.stderr]).toEqual([
        1,
        expect.stringContaining('1 world and all that runs there will end'),
      ]);
      expect((await stage.sub('up', '--restart', '--json')).code).toBe(2);
      expect((await stage.sub('egress', 'observe')).code).toBe(0);
      expect(await worlds()).toEqual([before]);
    });

    it('is one world for two commands that come at once', async () => {
      await stage.sub('world', 'close', '--all');
      const ends = await Promise.all([exec('echo one'), exec('echo two')]);
      expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([
        [0, 'one\n'],
        [0, 'two\n'],
      ]);
      expect(await worlds()).toHaveLength(1);
    });

    it('is another one for another folder, or where more is shown', async () => {
      await exec('true', '--read', '/etc/hostname');
      expect(await worlds()).toHaveLength(2);
      const fresh = await exec('ls /tmp', '--fresh');
      expect([fresh.code, fresh.stdout]).toEqual([0, '']);
      expect(await worlds()).toHaveLength(2);
    });

    /** The text that the record keeps of a command's end. */
    async function previewOf(span: string): Promise<string | undefined> {
      const { stdout } = await stage.sub('show', span, '--json');
      const { entries } = JSON.parse(stdout) as { entries: { blobs: { slot: string; text: string }[] }[] };
      const blobs = entries.flatMap((entry) => entry.blobs);
      return blobs.find(({ slot }) => slot === 'preview.result_preview')?.text;
    }

    /** Starts a command, and does not wait for it. */
    function begin(script: string): ChildProcess {
      const words = ['world', 'exec', '--home', stage.home, '--', '/bin/sh', '-c', script];
      const [command, ...args] = stage.asUser(process.execPath, SUB, ...words);
      return spawn(command, args, {
        cwd: stage.project,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: '/usr/bin:/bin' },
      });
    }
  });
});

/** Says that to a door, and waits until it hangs up or a second is over. */
function spoken(path: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => socket.write(bytes));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    setTimeout(() => socket.destroy(), 1000);
  });
}

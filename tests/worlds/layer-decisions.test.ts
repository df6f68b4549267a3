import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { layeredStage, layersOf, toldBy } from './kit/layered.js';
import { type Stage, SUB, PLAIN_USER, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 180_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

// Root's rights change nothing of how a layer is chosen, asked about and told: a plain user is enough.
describe.skipIf(why !== undefined)(`the layer of a world${absent}`, () => {
  describe.each(PLAIN_USER)('that is started by %s', (_, uid) => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await layeredStage(uid);
    });
    afterEach(() => stage.remove());
    const layers = (): readonly string[] => layersOf(stage);
    const told = (type: string): readonly unknown[] => toldBy(stage, type);

    it('has an error for a path that fits nothing, with the words of whoever named it', async () => {
      await stage.inWorld('echo x >> a; echo 1 > n');
      for (const words of [['diff'], ['commit', '--yes'], ['discard', '--yes']]) {
        const { code, stderr } = await stage.sub('world', ...words, './d/../nope');
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining('error[not_found]: `./d/../nope` has no changes in the layer'),
        ]);
        expect(await stage.sub('world', ...words, 'd')).toMatchObject({ code: 1 });
        expect(await stage.sub('world', ...words, 'n', 'nope')).toMatchObject({ code: 1 });
      }
      expect((await stage.sub('world', 'diff', '.')).stdout).toBe('~ a\n+ n\n');
      // As a shell names all files of the folder.
      expect(await stage.sub('world', 'commit', 'a', 'd')).toMatchObject({ code: 0 });
      expect(await stage.sub('world', 'discard', '--yes', '.')).toMatchObject({ code: 0 });
      expect([readFileSync(join(stage.project, 'a'), 'utf8'), layers()]).toEqual(['a\nx\n', []]);
    });

    it('is named with its age and its changes, and by the command that takes it, if there are two', async () => {
      await stage.inWorld('echo 1 > one');
      await stage.inWorld('echo 2 > "it\'s"; rm a');
      const { code, stderr } = await stage.sub('world', 'commit', '--overwrite', "it's", 'one');
      const command = String.raw`\x60sub world commit --layer [0-9a-f]{4,8} --overwrite 'it'\\''s' one\x60`;
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          new RegExp(
            `^sub: layer [0-9a-f]{8}  \\+1  \\d+m?s old, of .*\\n +${command}\\n` +
              `sub: layer [0-9a-f]{8}  \\+1 -1  \\d+m?s old, of .*\\n +${command}\\n.*2 layers hold changes`,
          ),
        ),
      ]);
      const [, begin = ''] = /-1 (?:.*\n.*)--layer ([0-9a-f]+) /.exec(stderr) ?? [];
      const taken = await stage.sub('world', 'commit', '--layer', begin);
      expect([taken.code, readdirSync(stage.project).toSorted()]).toEqual([0, ['d', "it's"]]);
    });

    it.skipIf(!existsSync('/usr/bin/script'))(
      'asks on a terminal about all, or about one after another',
      async () => {
        await stage.inWorld('echo "{}" > package.json; echo all: > Makefile; echo 1 > n');
        const words = [process.execPath, SUB, 'world', 'commit', '--home', stage.home].join(' ');
        const [program, ...args] = stage.asUser(
          'script',
          '-qec',
          `stty rows 33 cols 80; ${words}`,
          '/dev/null',
        );
        const child = spawn(program, args, {
          cwd: stage.project,
          env: { PATH: '/usr/bin:/bin', TERM: 'xterm' },
        });
        const answers: (readonly [RegExp, string])[] = [
          [/N none\) $/, 's\n'],
          [/1 of 2 \(y\/N\) $/, 'y\n'],
          [/2 of 2 \(y\/N\) $/, 'n\n'],
        ];
        let said = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          const [question, answer = ''] = answers[0] ?? [];
          if (question === undefined || !question.test(said)) return;
          answers.shift();
          child.stdin.write(answer);
        });
        const code = await new Promise((done) => child.once('close', done));
        expect([code, answers, readdirSync(stage.project).toSorted()]).toEqual([
          3,
          [],
          ['Makefile', 'a', 'd', 'n'],
        ]);
        expect(said).toContain('+2 taken over');
        expect(
          said.split(/\r?\n/).filter((line) => line.length > 80 && !line.includes(stage.project)),
        ).toEqual([]);
      },
    );

    it('is decided on by nobody who is inside of a run', async () => {
      await stage.inWorld('echo 1 > one');
      for (const verb of ['commit', 'discard']) {
        const words = ['run', '--', process.execPath, SUB, 'world', verb, '--yes'];
        const { code, stderr } = await stage.sub(...words);
        expect([code, stderr]).toEqual([3, expect.stringContaining('inside_run')]);
      }
      expect(existsSync(join(stage.project, 'one'))).toBe(false);
    });

    it('is told and thrown away also if its project is gone, or its removal was cut off', async () => {
      await stage.inWorld('echo 1 > one');
      const [id = ''] = layers();
      // A command cannot be started in a folder that is gone, so another one takes its place.
      const about = join(stage.home, 'layers', id, 'about.json');
      const text = readFileSync(about, 'utf8');
      writeFileSync(about, text.replace(stage.project, `${stage.project}-gone`));
      const status = await stage.sub('world', 'status');
      expect([status.code, status.stdout]).toEqual([
        0,
        expect.stringContaining('changes that cannot be told'),
      ]);
      expect((await stage.sub('status')).stdout).toContain('1 layer with changes');
      expect(await stage.sub('world', 'discard', '--yes', '--layer', id)).toMatchObject({ code: 0 });
      expect(layers()).toEqual([]);
      await stage.inWorld('echo 1 > one');
      const [cut = ''] = layers();
      rmSync(join(stage.home, 'layers', cut, 'upper'), { recursive: true });
      expect((await stage.sub('status')).stdout).not.toContain('changes that are in no project');
      // The next world takes the rest away.
      await stage.inWorld('true');
      expect(layers()).toEqual([]);
    });

    it('says what a commit had set aside, if its project is gone since', async () => {
      await stage.inWorld('echo 1 > one');
      const [id = ''] = layers();
      const token = 'ab'.repeat(16);
      const lines = [{ token, holder: { pid: 1, start: '0' } }, { open: [[0, 'd/b']] }];
      writeFileSync(
        join(stage.home, 'layers', id, 'journal'),
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
      renameSync(join(stage.project, 'd/b'), join(stage.project, `d/.sub-${token}-0-old`));
      const moved = `${stage.project}-moved`;
      renameSync(stage.project, moved);
      mkdirSync(stage.project);
      stage.give('.');
      const { code, stdout } = await stage.sub('world', 'discard', '--yes', '--layer', id);
      expect([code, stdout]).toEqual([0, `  d/.sub-${token}-0-old, which was d/b\n`]);
      expect(readFileSync(join(moved, `d/.sub-${token}-0-old`), 'utf8')).toBe('b\n');
      rmSync(moved, { recursive: true });
    });

    it('is of its folder alone: another one of that name gets nothing, and it can be thrown away there', async () => {
      await stage.inWorld('echo 1 > one; echo 2 > two');
      const [id = ''] = layers();
      const about = join(stage.home, 'layers', id, 'about.json');
      const whole = JSON.parse(readFileSync(about, 'utf8')) as { over?: unknown };
      const { over, ...older } = whole;
      // One that an older version made does not say it, until it is opened again.
      writeFileSync(about, JSON.stringify(older));
      expect(await stage.sub('world', 'commit', 'one')).toMatchObject({ code: 0 });
      expect(JSON.parse(readFileSync(about, 'utf8'))).toMatchObject({ over });
      const moved = `${stage.project}-moved`;
      renameSync(stage.project, moved);
      mkdirSync(stage.project);
      stage.give('.');
      const refused = [1, expect.stringContaining('lies over another folder than')];
      for (const words of [['diff'], ['commit', '--yes'], ['discard', '--yes', 'two']]) {
        const { code, stderr } = await stage.sub('world', ...words);
        expect([code, stderr]).toEqual(refused);
      }
      const again = await stage.sub('run', '--world', '--layer', id, '--', '/bin/true');
      expect([again.code, again.stderr]).toEqual(refused);
      expect(again.stderr).toContain(`throw the layer away: \`sub world discard --layer ${id}\``);
      expect(readdirSync(stage.project)).toEqual([]);
      rmSync(stage.project, { recursive: true });
      renameSync(moved, stage.project);
      expect((await stage.sub('world', 'diff')).stdout).toBe('+ two\n');
      renameSync(stage.project, moved);
      mkdirSync(stage.project);
      stage.give('.');
      expect(await stage.sub('world', 'discard', '--yes')).toMatchObject({ code: 0 });
      expect(layers()).toEqual([]);
      rmSync(moved, { recursive: true });
    });

    it('is decided on by one process at a time, whether a world has it or not', async () => {
      const exec = await stage.sub('world', 'exec', '--', '/bin/sh', '-c', 'echo 1 > n; : >> a');
      expect(exec.code).toBe(0);
      const [id = ''] = layers();
      const about = join(stage.home, 'layers', id, 'about.json');
      const said = JSON.parse(readFileSync(about, 'utf8')) as object;
      writeFileSync(about, JSON.stringify({ ...said, decider: processIdentity(process.pid) }));
      const refused = [2, expect.stringContaining(`somebody decides on the layer \`${id}\``)];
      const tried = async (...words: readonly string[]): Promise<void> => {
        const { code, stderr } = await stage.sub('world', ...words);
        expect([code, stderr]).toEqual(refused);
      };
      await tried('commit');
      // Its own end takes nothing out of it, either.
      expect((await stage.sub('world', 'close')).code).toBe(0);
      expect(readdirSync(join(stage.home, 'layers', id, 'upper')).toSorted()).toEqual(['a', 'n']);
      await tried('commit');
      await tried('discard', '--yes');
      expect(readdirSync(stage.project).toSorted()).toEqual(['a', 'd']);
      writeFileSync(about, JSON.stringify(said));
      expect((await stage.sub('world', 'commit')).code).toBe(0);
      expect([readdirSync(stage.project).toSorted(), layers()]).toEqual([['a', 'd', 'n'], []]);
    });

    it('is in the record with what a file is called, and no more', async () => {
      await stage.inWorld('echo x > "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"');
      expect(JSON.stringify(told('world_end'))).not.toContain('ghp_0123456789');
    });
  });
});

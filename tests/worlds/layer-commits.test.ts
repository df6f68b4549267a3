import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { layeredStage, layersOf } from './kit/layered.js';
import { type Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 180_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

describe.skipIf(why !== undefined)(`the layer of a world${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await layeredStage(uid);
    });
    afterEach(() => stage.remove());
    const tree = (): string =>
      execFileSync('/bin/sh', ['-c', 'find . -printf "%p %m %s %y\\n" | sort; cat a d/b'], {
        cwd: stage.project,
        encoding: 'utf8',
      });
    const layers = (): readonly string[] => layersOf(stage);

    it('gives the project what is taken over, asks about what others run, and is gone when nothing is left', async () => {
      const script = 'echo x >> a; rm d/b; echo 1 > d/n; echo "{}" > package.json; ln -s / out';
      await stage.inWorld(script);
      const diff = await stage.sub('world', 'diff');
      expect(diff.stdout.split('\n')).toEqual([
        '~ a',
        '- d/b',
        '+ d/n',
        '+ out (link)  left: the link may lead out of the project',
        '+ package.json  asks: package managers obey it, and run its scripts',
        '',
      ]);
      const patch = await stage.sub('world', 'diff', '--patch', 'a');
      expect(patch.stdout).toContain('--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n a\n+x\n');
      const part = await stage.sub('world', 'commit', 'd');
      expect([part.code, part.stderr]).toEqual([0, expect.stringContaining('+1 -1 taken over')]);
      expect([readdirSync(join(stage.project, 'd')), readFileSync(join(stage.project, 'a'), 'utf8')]).toEqual(
        [['n'], 'a\n'],
      );
      const rest = await stage.sub('world', 'commit');
      expect([rest.code, rest.stdout]).toEqual([
        1,
        expect.stringMatching(/package.json: package managers obey it[^]*out: the link may lead out/),
      ]);
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\nx\n');
      expect(readdirSync(stage.project).toSorted()).toEqual(['a', 'd']);
      expect(await stage.sub('world', 'commit', '--yes', 'package.json')).toMatchObject({
        code: 0,
        stdout: '',
      });
      expect(readFileSync(join(stage.project, 'package.json'), 'utf8')).toBe('{}\n');
      const discard = await stage.sub('world', 'discard');
      expect([discard.code, layers().length]).toEqual([1, 1]);
      expect(await stage.sub('world', 'discard', '--yes')).toMatchObject({ code: 0 });
      expect(layers()).toEqual([]);
      for (const verb of ['diff', 'commit', 'discard'])
        expect(await stage.sub('world', verb)).toEqual({ code: 0, stdout: 'nothing differs\n', stderr: '' });
      expect(JSON.parse((await stage.sub('world', 'diff', '--json')).stdout)).toEqual({
        layer: null,
        folder: stage.project,
        digest: null,
        changes: [],
        more: 0,
        truncated: false,
      });
      expect(await stage.sub('world', 'commit', 'a')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no layer holds changes of'),
      });
      expect(await stage.sub('world', 'diff', '--layer', 'abcd')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('there is no layer `abcd`'),
      });
    });

    it('leaves what somebody else changed meanwhile, and says so', async () => {
      await stage.inWorld('echo world > a; echo world > d/b');
      writeFileSync(join(stage.project, 'a'), 'person\n');
      const { code, stdout } = await stage.sub('world', 'commit');
      expect([code, stdout]).toEqual([1, expect.stringContaining('a: the project has changed there, too')]);
      expect([
        readFileSync(join(stage.project, 'a'), 'utf8'),
        readFileSync(join(stage.project, 'd/b'), 'utf8'),
      ]).toEqual(['person\n', 'world\n']);
      const bare = await stage.sub('world', 'commit', '--overwrite');
      expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('is for paths that are named')]);
      expect((await stage.sub('world', 'commit', '--overwrite', 'a')).code).toBe(0);
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('world\n');
      const begun = stage
        .rows()
        .filter(({ type, tool }) => type === 'action_pending' && tool === 'layer.commit');
      expect(begun.map(({ data }) => (data['layer'] as { overwrite?: true }).overwrite)).toEqual([
        undefined,
        true,
      ]);
    });

    it('is taken over and thrown away in parts, also out of folders that nobody may write', async () => {
      await stage.inWorld(
        'mkdir -p r/s; echo 1 > r/n; echo 1 > r/s/n; echo x >> d/b; echo 1 > d/n; chmod 555 d r/s r',
      );
      const [id = ''] = layers();
      const upper = join(stage.home, 'layers', id, 'upper');
      expect((await stage.sub('world', 'discard', '--yes', 'd/n')).code).toBe(0);
      expect([readdirSync(join(upper, 'd')), lstatSync(join(upper, 'd')).mode & 0o777]).toEqual([
        ['b'],
        0o555,
      ]);
      expect((await stage.sub('world', 'discard', '--yes', 'r')).code).toBe(0);
      expect(readdirSync(upper)).toEqual(['d']);
      expect((await stage.sub('world', 'commit')).code).toBe(0);
      expect([readFileSync(join(stage.project, 'd/b'), 'utf8'), layers()]).toEqual(['b\nx\n', []]);
    });

    it('says what was left, and what to do, for the layer that was named', async () => {
      mkdirSync(join(stage.project, '.git'));
      stage.give('.git');
      await stage.inWorld('echo x >> a; ln -s / out; echo 1 > s; echo 1 > .git/index.lock; mkfifo p');
      writeFileSync(join(stage.project, 'a'), 'person\n');
      const [id = ''] = layers();
      // No program of a world can.
      chmodSync(join(stage.home, 'layers', id, 'upper/s'), 0o6755);
      const diff = await stage.sub('world', 'diff', '--layer', id);
      expect(diff.stdout).toContain("+ .git/index.lock  left: it is git's own");
      const { code, stdout } = await stage.sub('world', 'commit', '--yes', '--layer', id);
      expect([code, stdout.split('\n')]).toEqual([
        1,
        [
          'left:',
          '  a: the project has changed there, too',
          `    to see both: \`sub world diff --layer ${id} --patch a\``,
          `    to keep yours: \`sub world discard --layer ${id} a\``,
          `    to take the one of the world: \`sub world commit --layer ${id} --overwrite a\``,
          '  out: the link may lead out of the project',
          '    make it in the project yourself, if you want it there',
          '  p: sockets, pipes and devices are not taken over',
          '    the program that needs it makes it: discard it',
          'taken over without their set-id bits:',
          '  s',
          "1 change of git's own left in the layer: locks, and objects that git took away",
          '',
        ],
      ]);
      const again = await stage.sub('world', 'commit', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({
        conflicts: [
          {
            path: 'a',
            why: 'changed',
            system: null,
            help: expect.stringContaining('`sub world diff --patch a`'),
          },
        ],
        refused: [{ path: 'out', why: 'leads_out', help: expect.any(String) }, { path: 'p' }],
        kept: ['.git/index.lock'],
      });
    });

    it('says nothing of an index of git that only looked at the files again', async () => {
      const git = (words: string): string => `git -c user.name=x -c user.email=x@x.example ${words}`;
      const [program, ...words] = stage.asUser(
        '/bin/sh',
        '-ec',
        `git init -q; git add .; ${git('commit -qm 1')}`,
      );
      execFileSync(program, words, { cwd: stage.project });
      const index = readFileSync(join(stage.project, '.git/index'));
      const { code, stderr } = await stage.inWorld('touch a; git status --short');
      expect([code, stderr, layers()]).toEqual([0, expect.not.stringContaining('in layer'), []]);
      await stage.inWorld('touch d/b; git status --short; echo 1 > n');
      expect(await stage.sub('world', 'diff')).toMatchObject({ code: 0, stdout: '+ n\n' });
      expect((await stage.sub('world', 'commit')).code).toBe(0);
      expect(readFileSync(join(stage.project, '.git/index')).equals(index)).toBe(true);
      await stage.inWorld('git add n');
      expect((await stage.sub('world', 'diff')).stdout).toContain('~ .git/index');
    });

    it('is decided on while the world of the folder waits, which a discard ends', async () => {
      const exec = await stage.sub(
        'world',
        'exec',
        '--',
        '/bin/sh',
        '-c',
        'echo 2 > a; mkdir s; echo 1 > s/n; sleep 600 > /dev/null 2>&1 &',
      );
      expect([exec.code, exec.stderr]).toEqual([0, expect.stringContaining('sub: +1 ~1 in layer')]);
      expect((await stage.sub('world', 'diff', '--stat')).code).toBe(0);
      expect(await stage.sub('world', 'commit', 's')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('the world that runs keeps its copies of these files'),
      });
      expect(readFileSync(join(stage.project, 's/n'), 'utf8')).toBe('1\n');
      // One question says both.
      const asked = await stage.sub('world', 'discard');
      expect([asked.code, asked.stderr]).toEqual([
        1,
        expect.stringContaining(
          `throw away ~1 of \`${stage.project}\`, and end the world of this folder, and all that runs there? (y/N)`,
        ),
      ]);
      const { code, stderr } = await stage.sub('world', 'discard', '--yes');
      expect([code, stderr]).toEqual([0, expect.stringContaining('thrown away, recorded as entry')]);
      expect([layers(), readFileSync(join(stage.project, 'a'), 'utf8')]).toEqual([[], 'a\n']);
      const { worlds } = JSON.parse((await stage.sub('world', 'status', '--json')).stdout) as {
        worlds: unknown[];
      };
      expect(worlds).toEqual([]);
    });

    it('is taken over again and again while its world goes on, and each time only what the world wrote since', async () => {
      const exec = (script: string) => stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
      const commit = () => stage.sub('world', 'commit');
      const inProject = (name: string): string => readFileSync(join(stage.project, name), 'utf8');
      await exec('echo 1 >> a; echo 1 > n; rm d/b; ln -s n l; sleep 600 > /dev/null 2>&1 &');
      expect((await commit()).code).toBe(0);
      expect(await stage.sub('world', 'diff', '--json')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"changes":[]'),
      });
      await exec('echo 2 >> a; echo 2 >> n');
      expect(await commit()).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('~2 taken over'),
      });
      expect([inProject('a'), inProject('n'), existsSync(join(stage.project, 'd/b'))]).toEqual([
        'a\n1\n2\n',
        '1\n2\n',
        false,
      ]);
      // The world keeps its copy, which is no change of its own; the next one sees what is there.
      writeFileSync(join(stage.project, 'a'), 'person\n');
      await exec('echo 3 >> n');
      expect((await commit()).code).toBe(0);
      expect([inProject('a'), inProject('n')]).toEqual(['person\n', '1\n2\n3\n']);
      await exec('echo 4 >> a');
      const { code, stdout } = await commit();
      expect([code, stdout]).toEqual([1, expect.stringContaining('a: the project has changed there, too')]);
      expect((await stage.sub('world', 'discard', '--yes', 'a')).code).toBe(0);
      expect((await exec('cat a')).stdout).toBe('person\n');
    });

    it('has its idle world end behind a commit, so that the next command sees the project as it is', async () => {
      const exec = (script: string) => stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
      const inProject = (name: string): string => readFileSync(join(stage.project, name), 'utf8');
      await exec('echo 1 >> a; echo 1 > n; echo 1 > /tmp/t');
      const first = await stage.sub('world', 'commit', 'a');
      expect([first.code, first.stderr]).toEqual([
        0,
        expect.stringMatching(
          /^sub: ~1 taken over into [^\n]*\nsub: the idle world has ended, with its `\/tmp`/,
        ),
      ]);
      // As an editor saves.
      writeFileSync(join(stage.project, 'a.new'), 'person\n');
      stage.give('a.new');
      renameSync(join(stage.project, 'a.new'), join(stage.project, 'a'));
      expect((await exec('cat a n; ls /tmp; echo world >> a')).stdout).toBe('person\n1\n');
      const second = await stage.sub('world', 'commit', '--json');
      expect([second.code, JSON.parse(second.stdout)]).toEqual([
        0,
        expect.objectContaining({ committed: ['a', 'n'], conflicts: [], world: 'ended' }),
      ]);
      expect([inProject('a'), inProject('n'), layers()]).toEqual(['person\nworld\n', '1\n', []]);
      expect(await stage.sub('world', 'diff')).toMatchObject({ code: 0, stdout: 'nothing differs\n' });
    });

    it('gives back what was removed from the project, where that is to be overwritten', async () => {
      const exec = (script: string) => stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
      await exec('mkdir e; for f in a d/b e/f e/g; do echo 1 >> $f; done; sleep 600 > /dev/null 2>&1 &');
      expect((await stage.sub('world', 'commit')).code).toBe(0);
      for (const name of ['a', 'd', 'e']) rmSync(join(stage.project, name), { recursive: true });
      await exec('echo 2 >> d/b; echo 2 >> e/f');
      const left = await stage.sub('world', 'commit');
      expect([left.code, left.stdout]).toEqual([1, expect.stringContaining('e/f: its folder is not')]);
      // The world has not changed `a` since it was taken over.
      const named = await stage.sub('world', 'commit', '--overwrite', 'a', 'd/b', 'e/f');
      expect([named.code, named.stdout, named.stderr]).toEqual([
        0,
        '',
        expect.stringContaining('+1 ~2 taken over'),
      ]);
      expect(tree()).toContain('a\n1\nb\n1\n2\n');
      expect(readdirSync(join(stage.project, 'e'))).toEqual(['f']);
    });

    it('does not bring back what was deleted in the project meanwhile', async () => {
      await stage.inWorld('echo world >> a; rm -r d');
      rmSync(join(stage.project, 'a'));
      const diff = await stage.sub('world', 'diff', '--patch', 'a');
      expect([diff.code, diff.stdout]).toEqual([0, expect.stringContaining('+world')]);
      const { code, stdout } = await stage.sub('world', 'commit');
      expect([code, stdout]).toEqual([1, expect.stringContaining('a: it is not in the project any more')]);
      expect(existsSync(join(stage.project, 'a'))).toBe(false);
    });
  });
});

import { execFileSync, spawn } from 'node:child_process';
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
import { processIdentity } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 180_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** The processes that read that upper folder. */
function walkers(upper: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(`walk.pl\0${upper}\0`))
    .map(Number);
}

/** A program that waits in a world, and those that do. */
const SLEEPS = 'sleep 272727';
function sleepers(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid) === `${SLEEPS.replace(' ', '\0')}\0`)
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

describe.skipIf(why !== undefined)(`the layer of a world${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let stage: Stage;
    beforeEach(async () => {
      stage = new Stage(uid);
      mkdirSync(join(stage.project, 'd'));
      for (const [name, text] of [
        ['a', 'a\n'],
        ['d/b', 'b\n'],
      ] as const)
        writeFileSync(join(stage.project, name), text);
      for (const name of ['d', 'a', 'd/b']) stage.give(name);
      await stage.start({});
    });
    afterEach(() => stage.remove());
    const tree = (): string =>
      execFileSync('/bin/sh', ['-c', 'find . -printf "%p %m %s %y\\n" | sort; cat a d/b'], {
        cwd: stage.project,
        encoding: 'utf8',
      });
    const layers = (): readonly string[] =>
      readdirSync(join(stage.home, 'layers')).filter((name) => name !== 'lock');
    const told = (type: string): readonly unknown[] =>
      stage
        .rows()
        .filter((row) => row.type === type)
        .map(({ data }) => (data as { fs_diff?: unknown }).fs_diff);

    it('holds what its programs write, and the project stays as it was', async () => {
      const before = tree();
      const script =
        'echo x >> a; rm d/b; echo new > d/n; mkdir e; ln -s /etc/passwd e/l; chmod 700 d; cat a; ls d e';
      const { code, stdout, stderr } = await stage.inWorld(script);
      expect([code, stdout]).toEqual([0, 'a\nx\nd:\nn\n\ne:\nl\n']);
      expect(tree()).toBe(before);
      const [id = ''] = layers();
      expect(stderr).toContain(`sub: +2 ~2 -1 in layer ${id}, not in the project`);
      expect(told('world_end')).toEqual([
        { added: 2, modified: 2, deleted: 1, paths: ['~ a', '~ d', '- d/b', '+ d/n', '+ e/l'] },
      ]);
      expect(told('tool_call_end')).toEqual(told('world_end'));
    });

    it('is gone with its world where nothing was changed', async () => {
      const { stderr } = await stage.inWorld('cat a > /dev/null; touch a; echo x > /tmp/x');
      expect([layers(), stderr]).toEqual([[], expect.not.stringContaining('layer')]);
    });

    it('is one for the commands of a folder, and survives their world', async () => {
      const exec = (script: string): ReturnType<Stage['sub']> =>
        stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
      expect(await exec('echo 1 > one; rm -r d')).toMatchObject({ code: 0 });
      expect((await stage.sub('world', 'close')).code).toBe(0);
      const { stdout, stderr } = await exec('cat one; ls; mkdir d; echo again > d/c; ls d');
      expect(stdout).toBe('1\na\none\nc\n');
      expect(stderr).toContain('sub: +2 -1 in layer ');
      // Each command with its own changes.
      await vi.waitUntil(() => told('tool_call_end').length === 2, { timeout: 60_000 });
      expect(told('tool_call_end')).toEqual([
        { added: 1, modified: 0, deleted: 1, paths: ['- d/b', '+ one'] },
        expect.objectContaining({ added: 2, paths: expect.arrayContaining(['+ d/c']) }),
      ]);
      const status = JSON.parse((await stage.sub('world', 'status', '--json')).stdout) as {
        layers: readonly { layer: string; folder: string; in_world: boolean; fs_diff: unknown }[];
      };
      expect(status.layers).toEqual([
        expect.objectContaining({ folder: stage.project, in_world: true, layer: layers()[0] }),
      ]);
      expect((await stage.sub('status')).stdout).toContain('1 layer with changes that are in no project');
      const uninstall = await stage.sub('uninstall', '--yes');
      expect([uninstall.code, uninstall.stderr]).toEqual([
        1,
        expect.stringContaining('changes that are in no project would be gone'),
      ]);
    });

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

    it('leaves nothing empty behind where a world was killed', async () => {
      const script = 'echo begun; sleep 30';
      await stage.signalled('SIGKILL', script);
      expect(layers()).toHaveLength(1);
      await stage.inWorld('true');
      expect(layers()).toEqual([]);
    });

    it('that cannot be looked at in the end is kept, and its world is told all the same', async () => {
      const layer = (name: string): string => join(stage.home, 'layers', layers()[0] ?? '', name);
      const running = stage.inWorld(`echo 1 > one; touch begun; ${SLEEPS}; exit 5`);
      await vi.waitUntil(() => existsSync(join(stage.home, 'layers')) && layers().length === 1, {
        timeout: 60_000,
      });
      await vi.waitUntil(() => existsSync(layer('upper/begun')), { timeout: 60_000 });
      // Its reader ends with the first look.
      for (const pid of walkers(layer('upper'))) process.kill(pid, 'SIGKILL');
      // The program goes on when its child is gone.
      await vi.waitUntil(() => sleepers().length > 0, { timeout: 60_000 });
      for (const pid of sleepers()) process.kill(pid, 'SIGKILL');
      const { code, stderr } = await running;
      expect([code, stderr]).toEqual([5, expect.stringContaining('changes that cannot be told in layer')]);
      expect(layers()).toHaveLength(1);
      expect(told('world_end')).toEqual([{ added: 0, modified: 0, deleted: 0, paths: [], truncated: true }]);
    });

    it('is another one for each world of its own, and is gone on with by its name', async () => {
      await stage.inWorld('echo 1 > one');
      const [first = ''] = layers();
      expect((await stage.inWorld('ls')).stdout).toBe('a\nd\n');
      const more = await stage.sub(
        'run',
        '--world',
        '--layer',
        first,
        '--',
        '/bin/sh',
        '-c',
        'cat one; echo 2 > two',
      );
      expect([more.code, more.stdout, layers()]).toEqual([0, '1\n', [first]]);
      expect(more.stderr).toContain(`sub: +2 in layer ${first}`);
      for (const name of ['nothing', '../layers', `../layers/${first}`]) {
        const { code, stderr } = await stage.sub('run', '--world', '--layer', name, '--', '/bin/true');
        expect([code, stderr]).toEqual([1, expect.stringContaining(`there is no layer \`${name}\``)]);
      }
    });

    it('shows no place of the machine, and cannot be reached, taken away or looked below', async () => {
      const script = `
grep overlay /proc/self/mountinfo; umount . 2>&1; ls ${stage.home} >/dev/null 2>&1 && echo FOUND
mount -o remount,rw . 2>&1; mount --bind / d 2>&1; ls /mnt 2>&1
python3 - <<'X'
import os
for name in ("trusted.overlay.opaque", "user.overlay.opaque", "trusted.overlay.redirect", "user.overlay.redirect"):
  try: os.setxattr("d", name, b"y"); print("SET", name)
  except OSError as e: pass
try: os.mknod("w", 0o20000, 0); print("MADE")
except OSError as e: print(e.errno)
X
ls d`;
      const { stdout } = await stage.inWorld(script);
      expect(stdout).toContain('lowerdir=0,upperdir=layer/upper,workdir=layer/work');
      expect(stdout).not.toContain(stage.home);
      expect(stdout).not.toMatch(/SET trusted|MADE|FOUND/);
      // A mark of a layer that a program writes is none of the kernel's.
      expect(stdout).toMatch(/\nb\n$/);
      const diff = await stage.sub('world', 'status', '--json');
      expect(diff.stdout).not.toContain('- d/b');
    });

    it('keeps the hidden files of the policy hidden, and shows what is written there outside', async () => {
      await stage.decideBy(
        'policy_id: p\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n' +
          'world: { fs: { hide: [d] } }\n',
      );
      const { stdout } = await stage.inWorld('ls d 2>/dev/null; cat d/b 2>/dev/null; echo end');
      expect(stdout).toBe('end\n');
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

    it('does not bring back what was deleted in the project meanwhile', async () => {
      await stage.inWorld('echo world >> a; rm -r d');
      rmSync(join(stage.project, 'a'));
      const diff = await stage.sub('world', 'diff', '--patch', 'a');
      expect([diff.code, diff.stdout]).toEqual([0, expect.stringContaining('+world')]);
      const { code, stdout } = await stage.sub('world', 'commit');
      expect([code, stdout]).toEqual([1, expect.stringContaining('a: it is not in the project any more')]);
      expect(existsSync(join(stage.project, 'a'))).toBe(false);
    });

    it('guards what others run below a path that is written as it is', async () => {
      for (const folder of ['.git/hooks', '.git/modules/lib'])
        mkdirSync(join(stage.project, folder), { recursive: true });
      const module = '.git/modules/lib';
      const names = ['.git/hooks/pre-push', '.git/config', '.git/note', `${module}/HEAD`, `${module}/config`];
      for (const name of names) writeFileSync(join(stage.project, name), 'old\n');
      for (const name of ['.git', '.git/hooks', '.git/modules', module, ...names]) stage.give(name);
      const script =
        'for f in hooks/pre-push hooks/new config note modules/lib/config; do echo new > .git/$f; done; ' +
        'mv .git/modules .git/moved; true';
      const { code } = await stage.inWorld(script, '--write', join(stage.project, '.git'));
      const git = (name: string): string => readFileSync(join(stage.project, '.git', name), 'utf8');
      expect([code, git('hooks/pre-push'), git('config'), git('note')]).toEqual([
        0,
        'old\n',
        'old\n',
        'new\n',
      ]);
      expect(git('modules/lib/config')).toBe('old\n');
      for (const name of ['hooks/new', 'moved'])
        expect(existsSync(join(stage.project, '.git', name))).toBe(false);
    });

    it('guards the hooks and settings of another repository that is written as it is', async () => {
      const other = join(stage.root, 'other/.git');
      mkdirSync(join(other, 'hooks'), { recursive: true });
      for (const name of ['HEAD', 'config', 'hooks/pre-push']) writeFileSync(join(other, name), 'old\n');
      if (uid !== undefined) execFileSync('chown', ['-R', String(uid), join(stage.root, 'other')]);
      const script = `cd ${other}; for f in hooks/pre-push hooks/new config HEAD; do echo new > $f; done; mv hooks x; true`;
      const { code } = await stage.inWorld(script, '--write', other);
      expect([code, readdirSync(other).toSorted(), readdirSync(join(other, 'hooks'))]).toEqual([
        0,
        ['HEAD', 'config', 'hooks'],
        ['pre-push'],
      ]);
      expect(
        ['HEAD', 'config', 'hooks/pre-push'].map((name) => readFileSync(join(other, name), 'utf8')),
      ).toEqual(['new\n', 'old\n', 'old\n']);
    });

    it('lets a path of `--write` be written as it is', async () => {
      const { code } = await stage.inWorld('echo 2 > d/b; echo 2 > a', '--write', join(stage.project, 'd'));
      expect([code, readFileSync(join(stage.project, 'd/b'), 'utf8')]).toEqual([0, '2\n']);
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\n');
    });

    it('has no file of a set-id bit that anybody on the machine reaches', async () => {
      await stage.inWorld('cp /bin/true s; chmod 6755 s; ls -l s');
      const [id = ''] = layers();
      const base = lstatSync(join(stage.home, 'layers', id));
      expect(base.mode & 0o777).toBe(0o700);
    });

    it.each([
      ['itself', 'echo x >> a; chmod 000 .'],
      ['a folder of it', 'mkdir e; echo x > e/f; chmod 000 e'],
    ])('keeps nobody from another world when it takes the permissions from %s', async (_what, script) => {
      await stage.inWorld(script);
      const status = await stage.sub('status');
      expect([status.code, status.stderr]).toEqual([0, '']);
      expect((await stage.sub('world', 'status')).code).toBe(0);
      expect((await stage.inWorld('echo again')).stdout).toBe('again\n');
      expect((await stage.sub('world', 'discard', '--layer', layers()[0] ?? '', '--yes')).code).toBe(0);
    });

    it('is in the record with what a file is called, and no more', async () => {
      await stage.inWorld('echo x > "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"');
      expect(JSON.stringify(told('world_end'))).not.toContain('ghp_0123456789');
    });

    it('is refused where the kernel takes no layer, and the project is not written instead', async () => {
      // A home on an overlay of its own cannot hold the upper folder of another one.
      rmSync(join(stage.home, 'layers'), { recursive: true, force: true });
      writeFileSync(join(stage.home, 'layers'), 'in the way');
      const { code, stderr } = await stage.inWorld('echo written > a');
      expect([code, readFileSync(join(stage.project, 'a'), 'utf8')]).toEqual([125, 'a\n']);
      expect(stderr).toMatch(/error/);
    });
  });
});

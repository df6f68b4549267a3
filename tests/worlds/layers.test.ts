import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { layeredStage, layersOf, toldBy } from './kit/layered.js';
import { type Stage, USERS, whyNoWorlds } from './kit/stage.js';

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
      stage = await layeredStage(uid);
    });
    afterEach(() => stage.remove());
    const tree = (): string =>
      execFileSync('/bin/sh', ['-c', 'find . -printf "%p %m %s %y\\n" | sort; cat a d/b'], {
        cwd: stage.project,
        encoding: 'utf8',
      });
    const layers = (): readonly string[] => layersOf(stage);
    const told = (type: string): readonly unknown[] => toldBy(stage, type);

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

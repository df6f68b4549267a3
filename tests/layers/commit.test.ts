import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { diffOf } from '@subluminal/layers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Choice, commit } from './kit/commit.js';
import { treeOf } from './kit/difference.js';
import { Mounted, whyNoLayers } from './kit/mounted.js';

vi.setConfig({ testTimeout: 120_000 });

const why = whyNoLayers();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const PROJECT = `
mkdir -p d/e f
echo 1 > a; echo 2 > d/b; echo 3 > d/e/c; echo 4 > f/g
ln -s a l; chmod 640 f/g; touch -d 2020-01-01 a d/b d/e/c f/g`;

const mounted = (files = PROJECT): Mounted => {
  const one = new Mounted(files);
  onTestFinished(() => one.remove());
  return one;
};

/** Runs a script in the layer, takes it over, and expects the project to be as the world saw it. */
const expectTaken = async (script: string, choice: Choice = {}, files = PROJECT): Promise<void> => {
  const one = mounted(files);
  await one.run(script);
  const seen = treeOf(one.seen);
  const { left } = await commit(one.about, choice);
  expect(left).toEqual([]);
  expect(treeOf(one.project)).toEqual(seen);
  const again = await commit(one.about, choice);
  expect(again.plan.steps).toEqual([]);
};

describe.skipIf(why !== undefined)(`a commit${absent}`, () => {
  it('gives the project what the world saw', async () => {
    await expectTaken('echo new > n; echo more >> a; chmod 600 f/g; rm d/b; mkdir -p x/y; echo z > x/y/z');
  });

  it('makes a folder of a file, and a file of a folder', async () => {
    await expectTaken('rm -r d; echo file > d; rm a; mkdir a; echo in > a/in; rm l; mkdir l');
  });

  it('makes a link of a folder, and a folder of a link', async () => {
    await expectTaken('rm -r d; ln -s f d; rm l; mkdir l; echo 1 > l/one');
  });

  it('removes a folder with all that is in it, and one that was made anew', async () => {
    await expectTaken('rm -r f; rm -r d; mkdir d; echo 9 > d/nine');
  });

  it('gives folders that their owner may not write their permissions in the end', async () => {
    await expectTaken('mkdir r; echo 1 > r/one; chmod 555 r; chmod 555 f; chmod 000 a');
  });

  it('moves a file from folder to folder', async () => {
    await expectTaken('mkdir to; mv d/e/c to/c; mv a to/b');
  });

  it('takes names that are no text', async () => {
    await expectTaken(
      String.raw`printf 1 > "$(printf 'a\377b')"; printf 2 > "$(printf 'new\nline')"; printf 3 > " "`,
    );
  });

  it('keeps the time of a file', async () => {
    const one = mounted();
    await one.run('touch -d 2019-05-05T05:05:05 new; touch -d 2018-01-01 a');
    await commit(one.about);
    expect(lstatSync(join(one.project, 'new')).mtime.getUTCFullYear()).toBe(2019);
    expect(lstatSync(join(one.project, 'a')).mtime.getUTCFullYear()).toBe(2018);
  });

  it('takes over what is chosen, with the folders that it needs', async () => {
    const one = mounted();
    await one.run('mkdir -p x/y; echo 1 > x/y/z; echo 2 > x/w; echo 3 >> a; rm -r f');
    const { left } = await commit(one.about, { paths: ['x/y', 'f'] });
    expect(left).toEqual([]);
    expect([...treeOf(one.project).keys()].toSorted()).toEqual([
      'a',
      'd',
      'd/b',
      'd/e',
      'd/e/c',
      'l',
      'x',
      'x/y',
      'x/y/z',
    ]);
    expect(readFileSync(join(one.project, 'a'), 'utf8')).toBe('1\n');
  });

  it('leaves what it took over in no layer', async () => {
    const one = mounted();
    await one.run(
      'mkdir -p x/y; echo 1 > x/y/z; echo 2 > w; rm -r f; rm -r d; mkdir d; echo q > d/q; echo 2 >> a',
    );
    await commit(one.about, { paths: ['x', 'f', 'd'], purges: true });
    const rest = await commit(one.about, { purges: true });
    expect(rest.plan.steps.map(({ path }) => path)).toEqual(['a', 'w']);
    expect(existsSync(one.about.place.folder)).toBe(false);
  });

  it('leaves nothing in the layer that differs in nothing, but what a folder needs that was made anew', async () => {
    const one = mounted();
    await one.run(
      ': >> d/b; chmod 600 d/e/c; chmod 644 d/e/c; echo 2 >> a; cp -rp f x; rm -r f; mv x f; echo 5 > f/k; echo 3 > n',
    );
    await one.unmount();
    await commit(one.about, { paths: ['a'], purges: true });
    expect([...treeOf(one.about.place.upper).keys()].toSorted()).toEqual(['f', 'f/g', 'f/k', 'n']);
    writeFileSync(join(one.project, 'd/b'), 'later');
    await one.run('cat d/b f/g > seen');
    expect(readFileSync(join(one.about.place.upper, 'seen'), 'utf8')).toBe('later4\n');
  });

  it('asks about what others run or obey, and takes over the rest', async () => {
    const one = mounted();
    await one.run(
      'mkdir -p .github/workflows .vscode src; echo 1 > .github/workflows/ci.yml; echo 2 > .vscode/tasks.json; echo 3 > src/a; echo 4 > package.json; echo 5 > run; chmod +x run',
    );
    const held = await commit(one.about, { says: 'no' });
    expect(held.asked).toEqual([
      '.github: ci',
      '.github/workflows: ci',
      '.github/workflows/ci.yml: ci',
      '.vscode: editor',
      '.vscode/tasks.json: editor',
      'package.json: package',
      'run: executable',
    ]);
    expect([...treeOf(one.project).keys()].filter((path) => path.startsWith('s'))).toEqual(['src', 'src/a']);
    expect(treeOf(one.project).has('package.json')).toBe(false);
    await commit(one.about, { says: 'yes' });
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
  });

  it('asks about what the settings of the repository name of which the project is a worktree', async () => {
    const git = 'git -C ../main -c safe.directory=* -c user.name=a -c user.email=a@b';
    const one = mounted(
      `git init -q ../main; ${git} commit -q --allow-empty -m one; ${git} worktree add -q -f ../project; ` +
        `${git} config filter.x.clean tools/clean; ${git} config core.hooksPath hooks; mkdir tools hooks; echo 1 > tools/clean`,
    );
    await one.run('echo 2 > tools/clean; echo 2 > hooks/pre-push; echo 2 > tools/other');
    const { asked } = await commit(one.about, { says: 'no' });
    expect(asked).toEqual(['hooks/pre-push: git_hooks', 'tools/clean: git_hooks']);
    expect(readFileSync(join(one.project, 'tools/clean'), 'utf8')).toBe('1\n');
  });

  it('leaves what the project changed meanwhile, and names it', async () => {
    const one = mounted();
    await one.run('echo w >> a; echo w >> d/b; rm d/e/c; echo w > n; rm f/g; chmod 600 d/b');
    const { left } = await commit(one.about, {
      meanwhile: () => {
        writeFileSync(join(one.project, 'a'), 'host');
        writeFileSync(join(one.project, 'd/e/c'), 'host');
        writeFileSync(join(one.project, 'n'), 'host');
        rmSync(join(one.project, 'd/b'));
      },
    });
    expect(left).toEqual(['changed a', 'changed d/e/c', 'exists n', 'gone d/b']);
    expect(readFileSync(join(one.project, 'a'), 'utf8')).toBe('host');
    expect(readFileSync(join(one.project, 'n'), 'utf8')).toBe('host');
    expect(treeOf(one.project).has('f/g')).toBe(false);
  });

  it('takes over what is named where the project has changed, too, if somebody says so', async () => {
    const one = mounted();
    await one.run('echo w >> a; echo w >> d/b; rm d/e/c; echo w > n; chmod 600 f/g');
    await diffOf(one.about);
    for (const path of ['a', 'd/e/c', 'n', 'f/g']) writeFileSync(join(one.project, path), 'host');
    rmSync(join(one.project, 'd/b'));
    const choice = { paths: ['a', 'd', 'n', 'f'] };
    const kept = ['changed a', 'changed d/e/c', 'changed f/g', 'exists n', 'gone d/b'];
    expect((await commit(one.about, choice)).left).toEqual(kept);
    expect((await commit(one.about, { ...choice, isOverwriting: true })).left).toEqual([]);
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
  });

  it('takes no second step where the first one was left', async () => {
    const one = mounted();
    await one.run('chmod +x f/g; touch f/g');
    const file = join(one.project, 'f/g');
    const { left, applied } = await commit(one.about, {
      meanwhile: () => {
        writeFileSync(file, 'host');
        utimesSync(file, 1_000_000_000, 1_000_000_000);
      },
    });
    expect([left, applied.done]).toEqual([['changed f/g'], []]);
    expect(lstatSync(file)).toMatchObject({ mtimeMs: 1_000_000_000_000 });
  });

  it('leaves a folder that holds what the world did not know', async () => {
    const one = mounted();
    await one.run('rm -r d; echo 1 > d; rm -r f');
    writeFileSync(join(one.project, 'd/e/host'), 'host');
    const { left } = await commit(one.about, {
      meanwhile: () => writeFileSync(join(one.project, 'f/host'), 'host'),
    });
    expect(left).toContain('holds_others f');
    expect(readFileSync(join(one.project, 'f/host'), 'utf8')).toBe('host');
  });

  it('takes what both sides made alike for done', async () => {
    const one = mounted();
    await one.run('echo same > n; echo same > a');
    const { left } = await commit(one.about, {
      meanwhile: () => undefined,
    });
    expect(left).toEqual([]);
    writeFileSync(join(one.project, 'n'), 'same\n');
    expect((await commit(one.about)).left).toEqual([]);
  });

  it('refuses links that may lead out, pipes and sockets, and takes set-id bits away', async () => {
    const one = mounted();
    await one.run(
      [
        'ln -s /etc/passwd abs; ln -s ../x up; ln -s ../../x d/up; ln -s f/../../x mid; ln -s f/g in; ln -s ../a d/in',
        'mkfifo p; echo 1 > s; chmod 4755 s; mkdir g; chmod 2755 g',
        `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); bind(S, sockaddr_un("sock"))'`,
      ].join('; '),
    );
    const { left, plan } = await commit(one.about);
    expect(left).toEqual([
      'leads_out abs',
      'leads_out d/up',
      'leads_out mid',
      'leads_out up',
      'special p',
      'special sock',
    ]);
    expect(plan.stripped).toEqual(['g', 's']);
    expect(lstatSync(join(one.project, 's')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(one.project, 'g')).mode & 0o7777).toBe(0o755);
    expect(treeOf(one.project).get('in')).toBe('link||f/g');
    expect(treeOf(one.project).get('d/in')).toBe('link||../a');
  });

  it('takes over what git did in the world', async () => {
    const git =
      'export HOME=/nonexistent GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b';
    const one = mounted(`${git}; ${PROJECT}; git init -q .; git add .; git commit -qm one`);
    await one.run(
      `${git}; echo 2 >> a; rm d/b; git add -A; git commit -qm two; git gc -q; git branch other; touch .git/index.lock`,
    );
    const { left, plan } = await commit(one.about);
    expect(left).toEqual([]);
    expect(plan.gitsOwn.length).toBeGreaterThan(1);
    expect(treeOf(one.project).has('.git/index.lock')).toBe(false);
    const said = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd: one.project, encoding: 'utf8' });
    expect(said('log', '--format=%s')).toBe('two\none\n');
    expect(said('status', '--porcelain')).toBe('');
    expect(said('fsck', '--full')).toBe('');
  });

  it('leaves the index of git that both sides changed', async () => {
    const one = mounted(`${PROJECT}; git init -q .; git add .`);
    await one.run('echo 1 > n; git add n');
    execFileSync('git', ['-c', 'safe.directory=*', 'rm', '-q', '--cached', 'a'], { cwd: one.project });
    const { left } = await commit(one.about);
    expect(left).toEqual(['git_index .git/index']);
  });

  it('gives the tree of the world for whatever a world does', async () => {
    const names = ['a', 'b', 'd', 'd/b', 'd/e', 'd/e/c', 'f', 'f/g', 'l', 'n', 'd/n'];
    const name = fc.constantFrom(...names);
    const deed = fc.oneof(
      fc.tuple(name, fc.nat(9)).map(([path, text]) => `echo ${text} > ${path}`),
      name.map((path) => `rm -rf ${path}`),
      name.map((path) => `mkdir -p ${path}`),
      fc.tuple(name, name).map(([from, to]) => `mv ${from} ${to}`),
      fc
        .tuple(name, fc.constantFrom('644', '600', '755', '444', '555'))
        .map(([path, mode]) => `chmod ${mode} ${path}`),
      name.map((path) => `ln -s f/g ${path}`),
      fc.tuple(name, name).map(([from, to]) => `ln ${from} ${to}`),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 1, maxLength: 12 }),
        fc.subarray(names),
        async (deeds, first) => {
          const one = new Mounted(PROJECT);
          try {
            await one.run(deeds.join('; '));
            const seen = treeOf(one.seen);
            const { plan } = await commit(one.about, { paths: first, purges: false });
            expect(plan.refusals.filter(({ why: reason }) => reason !== 'leads_out')).toEqual([]);
            const { left } = await commit(one.about);
            expect(left.filter((text) => !text.startsWith('leads_out'))).toEqual([]);
            if (left.length === 0) expect(treeOf(one.project)).toEqual(seen);
          } finally {
            one.remove();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps the other name of a file that has two', async () => {
    const one = mounted(`${PROJECT}; ln a other`);
    await one.run('echo world > a');
    expect((await commit(one.about)).left).toEqual([]);
    expect(readFileSync(join(one.project, 'other'), 'utf8')).toBe('1\n');
  });

  it('removes two names of one file', async () => {
    const one = mounted(`${PROJECT}; ln a two; ln a three`);
    await one.run('rm a two; echo 3 >> three');
    expect((await commit(one.about)).left).toEqual([]);
    expect([...treeOf(one.project).keys()]).not.toContain('two');
  });
});

describe.skipIf(why !== undefined)(`whoever attacks a commit${absent}`, () => {
  it('gains nothing by a link in the place of a folder of the project', async () => {
    const one = mounted();
    const outside = join(one.root, 'outside');
    mkdirSync(outside);
    await one.run('echo 1 > d/new; echo 2 >> d/b; rm d/e/c');
    const { left } = await commit(one.about, {
      meanwhile: () => {
        execFileSync('mv', ['d', 'moved'], { cwd: one.project });
        symlinkSync(outside, join(one.project, 'd'));
      },
    });
    expect(left).toEqual(['parent d/b', 'parent d/new']);
    expect([...treeOf(outside).keys()]).toEqual([]);
  });

  it('gains nothing by a link in the place of a file of the project', async () => {
    const one = mounted();
    const outside = join(one.root, 'outside');
    writeFileSync(outside, 'outside');
    await one.run('echo 1 >> a; echo 2 > n; chmod 600 f/g');
    const { left } = await commit(one.about, {
      meanwhile: () => {
        for (const path of ['a', 'n', 'f/g']) {
          rmSync(join(one.project, path), { force: true });
          symlinkSync(outside, join(one.project, path));
        }
      },
    });
    expect(left).toEqual(['changed a', 'changed f/g', 'exists n']);
    expect(readFileSync(outside, 'utf8')).toBe('outside');
    expect(lstatSync(outside).mode & 0o777).toBe(0o644);
  });

  it('gains nothing by a link or a pipe in the layer in the place of a file', async () => {
    const one = mounted();
    const secret = join(one.root, 'secret');
    writeFileSync(secret, '2\n');
    await one.run('echo 1 > n; echo 2 > m; echo 3 > o');
    const upper = (name: string): string => join(one.about.place.upper, name);
    const { left } = await commit(one.about, {
      meanwhile: () => {
        for (const name of ['n', 'm', 'o']) rmSync(upper(name));
        symlinkSync(secret, upper('n'));
        execFileSync('mkfifo', [upper('m')]);
        writeFileSync(upper('o'), '4\n');
      },
    });
    expect(left).toEqual(['layer_changed m', 'layer_changed n', 'layer_changed o']);
    expect([...treeOf(one.project).keys()].filter((name) => 'mno'.includes(name))).toEqual([]);
  });

  it('gains nothing by a folder of the layer that becomes a link', async () => {
    const one = mounted();
    const outside = join(one.root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'n'), 'x');
    await one.run('mkdir x; echo 1 > x/n');
    const { left } = await commit(one.about, {
      meanwhile: () => {
        rmSync(join(one.about.place.upper, 'x'), { recursive: true });
        symlinkSync(outside, join(one.about.place.upper, 'x'));
      },
    });
    expect(left).toEqual(['layer_changed x/n']);
  });

  it('finds no name that it could make before', async () => {
    const one = mounted();
    await one.run('echo 1 > .sub-0; mkdir .sub-x; echo 2 > .sub-x/n; echo 3 > n');
    const { left } = await commit(one.about);
    expect(left).toEqual(['name .sub-0', 'name .sub-x', 'name .sub-x/n']);
    expect([...treeOf(one.project).keys()].filter((name) => name.startsWith('.sub-'))).toEqual([]);
  });

  it('hides no hook behind case, marks or streams', async () => {
    const one = mounted();
    await one.run(
      String.raw`mkdir -p .GIT/Hooks "$(printf '.g\342\200\214it')" GIT~1; echo 1 > .GIT/Hooks/pre-commit; echo 2 > GIT~1/config; echo 3 > PACKAGE.JSON; echo 4 > 'Makefile.'; echo 5 > "$(printf '.g\342\200\214it/config')"`,
    );
    const { asked } = await commit(one.about, { says: 'no' });
    expect(asked.filter((text) => !text.includes(': repository')).map((text) => text.split(': ')[0])).toEqual(
      ['Makefile.', 'PACKAGE.JSON'],
    );
    expect([...treeOf(one.project).keys()].toSorted()).toEqual([
      'a',
      'd',
      'd/b',
      'd/e',
      'd/e/c',
      'f',
      'f/g',
      'l',
    ]);
  });

  it('fills no disk with a hole, and a small hole stays one', async () => {
    const one = mounted();
    await one.run('truncate -s 1T huge; truncate -s 64M small; printf end >> small');
    const { left } = await commit(one.about);
    expect(left).toEqual(['hole huge']);
    const { size, blocks } = lstatSync(join(one.project, 'small'));
    expect(size).toBe(67_108_867);
    expect(blocks * 512).toBeLessThan(1_000_000);
  });

  it('fills no disk with many holes', async () => {
    const one = mounted();
    await one.run(
      'for n in 1 2 3 4 5 6; do truncate -s 300M hole$n; done; head -c 1000000 /dev/zero > plain',
    );
    const { left } = await commit(one.about);
    expect(left).toEqual(['hole hole4', 'hole hole5', 'hole hole6']);
    expect(lstatSync(join(one.project, 'plain')).size).toBe(1_000_000);
  });

  it('keeps a commit from nothing but the one file that may not be read', async () => {
    const one = mounted();
    await one.run('echo 1 > n; chmod 000 n');
    expect((await commit(one.about)).left).toEqual([]);
    chmodSync(join(one.project, 'n'), 0o600);
    expect(readFileSync(join(one.project, 'n'), 'utf8')).toBe('1\n');
  });
});

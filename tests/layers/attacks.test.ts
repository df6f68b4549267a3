import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  BOUNDS,
  diffOf,
  discardLayer,
  Folder,
  Layer,
  patchesOf,
  pathOfText,
  pinned,
  recoverCommit,
  shown,
} from '@subluminal/layers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commit } from './kit/commit.js';
import { treeOf } from './kit/difference.js';
import { Mounted, whyNoLayers } from './kit/mounted.js';
import { AS_NOBODY, ended, giveToNobody } from './kit/process.js';

vi.setConfig({ testTimeout: 120_000 });

const why = whyNoLayers();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const PROJECT = 'mkdir -p d/e f; echo 1 > a; echo 2 > d/b; echo 3 > d/e/c; echo 4 > f/g';
const TOKEN = 'ab'.repeat(16);
/** So long a race lasts. */
const RACE_MS = 3000;
/** Deeper than a path of the system is long. */
const LEVELS = process.env['SUB_LONG'] === undefined ? 2500 : 10_000;
/** Names in one folder; a layer is looked at up to some bound. */
const MANY = process.env['SUB_LONG'] === undefined ? 3000 : 1_000_000;

/** Memory is never written back, and until then a mapped file is written without a sign. */
const MEMORY = '/dev/shm';

const mounted = (files = PROJECT, under?: string): Mounted => {
  const one = new Mounted(files, under);
  onTestFinished(() => one.remove());
  return one;
};

/** A folder beside the project that no commit may change or read. */
const outsideOf = (one: Mounted): string => {
  const outside = join(one.root, 'outside');
  mkdirSync(join(outside, 'q'), { recursive: true });
  for (const name of ['f', 'g', 'n', 'q/f', 'q/n']) writeFileSync(join(outside, name), 'CANARY');
  return outside;
};

const upper = (one: Mounted, name: string): string => join(one.about.place.upper, name);
const inProject = (one: Mounted, script: string): string =>
  execFileSync('/bin/sh', ['-c', script], { cwd: one.project, encoding: 'utf8' });
const ownNames = (one: Mounted): readonly string[] =>
  [...treeOf(one.project).keys()].filter((path) => path.includes('.sub-'));

/** Runs a shell's loop beside `work`, and ends it before anything is looked at. */
const beside = async (loop: string, work: () => Promise<unknown>): Promise<void> => {
  // A group of its own: what the shell has just started goes on without it.
  const shell = spawn('/bin/sh', ['-c', `while :; do ${loop}; done`], { stdio: 'ignore', detached: true });
  const over = new Promise((resolve) => shell.once('close', resolve));
  try {
    await work();
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
    await over;
  }
};

/** A program of the layer that has a file of eight bytes mapped, and writes through that when it is told. */
const mappedIn = (one: Mounted, name: string): Record<'ready' | 'write', () => Promise<void>> => {
  const at = (mark: string): string => join(one.root, mark);
  const child = spawn('/usr/bin/python3', [
    '-c',
    `import mmap, os, time
f = open(${JSON.stringify(`${one.seen}/${name}`)}, "r+b")
m = mmap.mmap(f.fileno(), 0)
m[0:8] = m[0:8]
open(${JSON.stringify(at('ready'))}, "w")
while not os.path.exists(${JSON.stringify(at('go'))}): time.sleep(0.01)
m[0:8] = b"payload!"
open(${JSON.stringify(at('went'))}, "w")
time.sleep(600)`,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const seen = (mark: string): Promise<unknown> =>
    vi.waitUntil(() => existsSync(at(mark)), { timeout: 60_000 });
  return {
    ready: async () => void (await seen('ready')),
    write: async () => {
      writeFileSync(at('go'), '');
      await seen('went');
    },
  };
};

describe.skipIf(why !== undefined)(`whoever puts strange things into a layer${absent}`, () => {
  it('gains no name of a file that is in the layer, too', async () => {
    const one = mounted();
    await one.run('echo x > n; ln n m; ln a h');
    expect((await commit(one.about)).left).toEqual([]);
    for (const name of ['n', 'm', 'h']) {
      const { nlink, ino } = lstatSync(join(one.project, name));
      expect([nlink, ino === lstatSync(upper(one, name)).ino]).toEqual([1, false]);
    }
    writeFileSync(upper(one, 'n'), 'later');
    expect(readFileSync(join(one.project, 'm'), 'utf8')).toBe('x\n');
  });

  it('gains no device, and no mark of the kernel by a name that the project has not', async () => {
    const one = mounted();
    await one.run('mknod null c 1 3; mknod disk b 254 0; mknod mark c 0 0; rm a; mknod a c 1 3');
    execFileSync('mknod', [upper(one, 'forged'), 'c', '0', '0']);
    const { left } = await commit(one.about);
    expect(left).toEqual(['special a', 'special disk', 'special null']);
    expect([...treeOf(one.project).keys()].toSorted()).toEqual(['a', 'd', 'd/b', 'd/e', 'd/e/c', 'f', 'f/g']);
    expect(readFileSync(join(one.project, 'a'), 'utf8')).toBe('1\n');
  });

  it('hides nothing of the project by a mark of a folder that is not the kernel’s', async () => {
    const one = mounted();
    await one.run('touch d/n');
    const names = ['user.overlay.opaque', 'user.overlay.redirect', 'trusted.overlay.overlay.opaque'];
    for (const name of names)
      execFileSync('python3', [
        '-c',
        `import os; os.setxattr(${JSON.stringify(upper(one, 'd'))}, "${name}", b"y")`,
      ]);
    await one.run(`python3 -c 'import os; os.setxattr("f", "trusted.overlay.opaque", b"y")'`);
    const { changes } = await diffOf(one.about);
    expect(changes.map(({ path, how }) => `${how} ${shown(path)}`)).toEqual(['added d/n']);
    expect((await commit(one.about)).left).toEqual([]);
    expect(readFileSync(join(one.project, 'f/g'), 'utf8')).toBe('4\n');
  });

  it('gives a file of the project no attribute and no capability', async () => {
    const one = mounted();
    await one.run('echo x > n');
    const set = `import os; p = ${JSON.stringify(upper(one, 'n'))}
os.setxattr(p, "user.own", b"x")
os.setxattr(p, "security.capability", bytes.fromhex("0100000200040000000000000000000000000000"))`;
    execFileSync('python3', ['-c', set]);
    expect((await commit(one.about)).left).toEqual([]);
    const told = execFileSync('python3', ['-c', 'import os; print(os.listxattr("n"))'], { cwd: one.project });
    expect(told.toString()).toBe('[]\n');
  });

  it('gives a folder the bit that keeps others from removing, and no other one', async () => {
    const one = mounted();
    await one.run('mkdir t s; chmod 1777 t; chmod 7755 s; echo x > s/n; chmod 7777 s/n');
    expect((await commit(one.about)).left).toEqual([]);
    const modes = ['t', 's', 's/n'].map((name) => lstatSync(join(one.project, name)).mode & 0o7777);
    expect(modes).toEqual([0o1777, 0o1755, 0o777]);
  });

  it('has a file beside another one whose name differs by its case alone', async () => {
    const one = mounted();
    await one.run('echo 1 > README; echo 2 > readme; echo 3 > ReadMe; echo 4 > A');
    expect((await commit(one.about)).left).toEqual([]);
    expect(inProject(one, 'cat README readme ReadMe A a')).toBe('1\n2\n3\n4\n1\n');
  });

  it('may name files as the system lets it: in any bytes, and 255 of them', async () => {
    const one = mounted();
    const long = 'n'.repeat(255);
    await one.run(
      String.raw`printf 1 > "$(printf 'b\377\200')"; printf 2 > "$(printf 'l\nl')"; printf 3 > '${long}'; mkdir "$(printf '\303')"; printf 4 > "$(printf '\303/\251')"; printf 5 > -rf`,
    );
    expect((await commit(one.about)).left).toEqual([]);
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
    expect(readFileSync(join(one.project, long), 'utf8')).toBe('3');
  });

  it('may go deeper than a path of the system is long', async () => {
    const one = mounted();
    const name = 'folder-of-the-world-'.repeat(2);
    await one.run(
      `perl -e 'for (1..150) { mkdir "${name}"; chdir "${name}" } open F, ">", "end"; print F "deep"'`,
    );
    expect((await commit(one.about)).left).toEqual([]);
    expect(inProject(one, 'find . -name end -printf "%s %d\n"')).toBe('4 151\n');
    execFileSync('/bin/rm', ['-rf', '--', name], { cwd: one.project });
    await discardLayer(one.about.place);
  });

  it('makes neither a diff, a commit nor its removal endless by thousands of levels', async () => {
    const one = mounted();
    await one.run(
      `echo x > n; perl -e 'for (1..${LEVELS}) { mkdir "deep"; chdir "deep" } open F, ">", "end"'`,
    );
    const { isTruncated, changes } = await diffOf(one.about);
    expect([isTruncated, changes.length < 1000]).toEqual([true, true]);
    const { plan } = await commit(one.about);
    expect(plan.isPartial).toBe(true);
    expect(readFileSync(join(one.project, 'n'), 'utf8')).toBe('x\n');
    execFileSync('/bin/rm', ['-rf', 'deep'], { cwd: one.project });
    await discardLayer(one.about.place);
    expect(existsSync(one.about.place.folder)).toBe(false);
  });

  it('is told up to a bound if it fills one folder', async () => {
    const one = mounted();
    await one.run(`mkdir many; perl -e 'for (1..${MANY}) { open F, ">", "many/$_" }'`);
    const { isTruncated, changes } = await diffOf(one.about, { ...BOUNDS, names: 1000 });
    expect([isTruncated, changes.length <= 1000]).toEqual([true, true]);
    await discardLayer(one.about.place);
    expect(existsSync(one.about.place.folder)).toBe(false);
  });

  it('is told up to a bound if its names are long and its folders deep, however often one looks', async () => {
    const one = mounted();
    const layer = new Layer(one.about);
    onTestFinished(() => layer.close());
    const told = (): number => layer.diff.changes.reduce((sum, { path }) => sum + path.length, 0);
    for (const top of ['b', 'a', 'Z']) {
      await one.run(`perl -e 'chdir "."; for (1..380) { my $n = "${top}" x 250; mkdir $n; chdir $n or die }
for (1..400) { open F, ">", "f$_" }'`);
      await layer.look();
    }
    // All of it would be more than 100 MB.
    expect([layer.diff.isTruncated, told() > 10_000_000, told() < 60_000_000]).toEqual([true, true, true]);
    await discardLayer(one.about.place);
  });

  it('puts nothing behind a link that it has put in the place of a folder', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    const before = treeOf(outside);
    await one.run(`rm -rf d; ln -s ../outside d; rm a; ln -s /etc/passwd a`);
    expect((await commit(one.about)).left).toEqual(
      ['holds_others d/e', 'holds_others d/e/c', 'holds_others d/b', 'leads_out a', 'leads_out d'].toSorted(),
    );
    expect(treeOf(outside)).toEqual(before);
    expect(inProject(one, 'cat a d/b d/e/c')).toBe('1\n2\n3\n');
  });

  it('gets a repository that stands elsewhere by an answer alone', async () => {
    const one = mounted();
    await one.run('mkdir sub; echo "gitdir: /tmp/elsewhere" > sub/.git; echo "gitdir: x" > .git');
    const { asked } = await commit(one.about, { says: 'no' });
    expect(asked.map((text) => text.split(': ')[0])).toEqual(expect.arrayContaining(['.git', 'sub/.git']));
    expect(existsSync(join(one.project, '.git')) || existsSync(join(one.project, 'sub/.git'))).toBe(false);
  });
});

describe.skipIf(why !== undefined)(`whoever makes a repository in parts${absent}`, () => {
  it('gets its last part by an answer alone', async () => {
    const one = mounted();
    await one.run('mkdir -p r/objects r/refs; echo "[core] fsmonitor=/tmp/x" > r/config');
    expect((await commit(one.about, { says: 'no' })).asked).toEqual([]);
    await one.run('echo "ref: refs/heads/main" > r/HEAD');
    expect((await commit(one.about, { says: 'no' })).asked).toEqual(['r/HEAD: repository']);
    expect(existsSync(join(one.project, 'r/HEAD'))).toBe(false);
  });
});

describe.skipIf(why !== undefined)(`whoever races against a layer${absent}`, () => {
  it('reads nothing outside by a diff and its lines', async () => {
    const one = mounted('mkdir -p p/q; echo 1 > p/q/f; echo 1 > p/q/n');
    const outside = outsideOf(one);
    await one.run('echo 2 > p/q/f; echo 2 > p/q/n; mkdir -p r/q; echo 3 > r/q/f');
    const side = (folder: string): string =>
      `cd ${folder} && { mv p p2; ln -s ${outside} p; rm -f p; mv p2 p; rm -f p/q/f; ln -s ${outside}/q/f p/q/f; rm -f p/q/f; mkfifo p/q/f; rm -f p/q/f; echo 2 > p/q/f; }`;
    const swap = `${side(one.project)}; ${side(one.about.place.upper)}`;
    await beside(swap, async () => {
      const layer = new Layer(one.about);
      for (const end = performance.now() + RACE_MS; performance.now() < end;) {
        await layer.look();
        const text = [...patchesOf(layer.diff.changes, layer)].flat().join('\n');
        expect(text).not.toContain('CANARY');
      }
      layer.close();
    });
    expect(
      [...treeOf(outside).values()].every((is) => !is.startsWith('file') || is.endsWith('43414e415259')),
    ).toBe(true);
  });

  it('has nothing taken over but the bytes that were shown, though no time of the file tells of others', async () => {
    const one = mounted(PROJECT, MEMORY);
    await one.run('printf harmless > package.json; printf harmless > run; chmod +x run');
    const writer = mappedIn(one, 'package.json');
    const time = (): bigint => lstatSync(upper(one, 'package.json'), { bigint: true }).ctimeNs;
    await writer.ready();
    let shownAt = 0n;
    const { left } = await commit(one.about, {
      atQuestion: async () => {
        shownAt = time();
        await writer.write();
      },
    });
    expect(readFileSync(upper(one, 'package.json'), 'utf8')).toBe('payload!');
    expect(time()).toBe(shownAt);
    expect(left).toEqual(['layer_changed package.json']);
    expect([existsSync(join(one.project, 'package.json')), inProject(one, 'cat run'), ownNames(one)]).toEqual(
      [false, 'harmless', []],
    );
  });

  it('has no other bytes shown than those that a yes would be for', async () => {
    const one = mounted(PROJECT, MEMORY);
    await one.run('printf harmless > Makefile');
    const writer = mappedIn(one, 'Makefile');
    await writer.ready();
    const layer = new Layer(one.about);
    onTestFinished(() => layer.close());
    await layer.look();
    const ask = { path: pathOfText('Makefile'), risks: [], pattern: undefined };
    const [asked] = await pinned([ask], layer);
    await writer.write();
    const changes = layer.diff.changes.map((change) => ({ ...change, after: asked?.after }));
    expect([...patchesOf(changes, layer)].flat()).toEqual([
      'diff --sub a/Makefile b/Makefile',
      'new file, mode 100644',
      'it changed in the layer while it was looked at',
    ]);
  });

  it('has nothing outside removed by a layer that is thrown away', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    const before = treeOf(outside);
    for (let round = 0; round < 5; round += 1) {
      const folders = Array.from({ length: 40 }, (_, at) => `x${at}`);
      for (const name of folders) {
        mkdirSync(upper(one, name), { recursive: true });
        for (const file of ['f', 'g', 'n']) writeFileSync(upper(one, `${name}/${file}`), '');
      }
      const swap = `cd ${one.about.place.upper} && for x in x*; do mv $x y; ln -s ${outside} $x; rm -f $x; mv y $x; done`;
      // It may fail at a folder that is swapped.
      await beside(swap, () => Promise.allSettled([discardLayer(one.about.place)]));
      expect(treeOf(outside)).toEqual(before);
    }
  });

  it('has a file that grows meanwhile left, and no part of it taken', async () => {
    const one = mounted();
    await one.run('head -c 20000000 /dev/zero | tr "\\0" x > n');
    await beside(`printf y >> ${upper(one, 'n')}`, async () => {
      expect((await ended(one)).left).toEqual(['layer_changed n']);
    });
    expect([...treeOf(one.project).keys()]).not.toContain('n');
    expect(ownNames(one)).toEqual([]);
  });

  it.each([
    ['root', [] as readonly string[]],
    ['a plain user', AS_NOBODY],
  ])('sees whole files alone while its world goes on to write, as %s', async (_, user) => {
    const one = mounted('for n in 1 2 3 4 5; do echo old > w$n; done');
    giveToNobody(one.project, join(one.root, 'layers'));
    await one.run('touch started');
    const line = (n: string): string => `yes "line ${n}" | head -n 3000`;
    const write = `i=$((i+1)); for n in 1 2 3 4 5; do ${line('$i')} > ${upper(one, 'w')}$n.new; mv ${upper(one, 'w')}$n.new ${upper(one, 'w')}$n; done`;
    await beside(`${write}; chown -R 65534 ${one.about.place.upper}`, async () => {
      for (let round = 0; round < 4; round += 1) await ended(one, user);
    });
    for (const n of [1, 2, 3, 4, 5]) {
      const lines = readFileSync(join(one.project, `w${n}`), 'utf8')
        .split('\n')
        .slice(0, -1);
      expect([new Set(lines).size, [1, 3000].includes(lines.length)]).toEqual([1, true]);
    }
  });

  it.each([
    ['root', [] as readonly string[]],
    ['a plain user', AS_NOBODY],
  ])('writes nothing outside by links in the place of what is new, as %s', async (_, user) => {
    const one = mounted();
    const outside = outsideOf(one);
    await one.run('mkdir x y; for n in $(seq 1 60); do mkdir x/$n; echo w > x/$n/f; done; echo w > n');
    giveToNobody(one.project, join(one.root, 'layers'), outside);
    const before = treeOf(outside);
    const swap = `cd ${one.project} && for n in $(seq 1 60); do ln -s ${outside} x/$n; ln -sfn ${outside} x; rm -f x x/$n n; ln -s ${outside}/n n; done`;
    await beside(swap, async () => {
      // A commit may end at a place that is swapped, and the next one goes on.
      for (let round = 0; round < 4; round += 1) await Promise.allSettled([ended(one, user)]);
    });
    expect(treeOf(outside)).toEqual(before);
  });

  it('leaves a folder for which somebody has made a link meanwhile, with what stands in it', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    await one.run('mkdir x; echo 1 > x/n');
    const { left } = await commit(one.about, {
      meanwhile: () => symlinkSync(outside, join(one.project, 'x')),
    });
    expect(left).toEqual(['exists x', 'parent x/n']);
    expect(readFileSync(join(outside, 'n'), 'utf8')).toBe('CANARY');
  });

  it('writes into the folder that was compared, if another one has its name meanwhile', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    const before = treeOf(outside);
    await one.run('echo 1 > n; rm -r f');
    const moved = join(one.root, 'moved');
    await commit(one.about, {
      meanwhile: () => {
        renameSync(one.project, moved);
        symlinkSync(outside, one.project);
      },
    });
    expect(treeOf(outside)).toEqual(before);
    expect(readFileSync(join(moved, 'n'), 'utf8')).toBe('1\n');
    await expect(commit(one.about)).rejects.toThrow(/ENOTDIR|ELOOP/);
    rmSync(one.project);
    renameSync(moved, one.project);
  });

  it('gains nothing by a link in the place of the folder of writes', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    const before = treeOf(outside);
    await one.run('echo 1 > n');
    const { upper: writes } = one.about.place;
    renameSync(writes, `${writes}-moved`);
    symlinkSync(outside, writes);
    await expect(commit(one.about)).rejects.toThrow(/ENOTDIR|ELOOP/);
    await discardLayer(one.about.place);
    expect(treeOf(outside)).toEqual(before);
    expect(existsSync(join(one.project, 'n'))).toBe(false);
  });

  it('has one of two commits at a time, and in the end the whole', async () => {
    const one = mounted();
    await one.run('mkdir x; for n in $(seq 1 400); do echo $n > x/$n; done; rm -r f; echo 2 > a');
    const ends = await Promise.allSettled([ended(one), ended(one), ended(one)]);
    for (const end of ends)
      if (end.status === 'rejected')
        expect(String(end.reason)).toMatch(/a commit of this layer is going on|ENOENT/);
    await ended(one);
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
    expect(existsSync(one.about.place.journal)).toBe(false);
  });

  it('finds no journal that does not say whose it is', async () => {
    const one = mounted();
    const seen = join(one.root, 'seen');
    const { journal } = one.about.place;
    await one.run('echo 0 > n');
    const watch = `$SIG{TERM} = sub { $over = 1 }; until ($over) { my @s = stat $ARGV[0]; if (@s) { $s[7] == 0 ? $empty++ : $whole++ } } open F, ">", $ARGV[1]; printf F "%d %d", $empty > 0, $whole > 0`;
    const watcher = spawn('perl', ['-e', watch, journal, seen], { stdio: 'ignore' });
    const over = new Promise((resolve) => watcher.once('close', resolve));
    for (let round = 1; round < 12; round += 1) {
      await one.run(`echo ${round} > n`);
      await commit(one.about);
    }
    watcher.kill('SIGTERM');
    await over;
    expect(readFileSync(seen, 'utf8')).toBe('0 1');
  });
});

describe.skipIf(why !== undefined)(`a journal that somebody else has written${absent}`, () => {
  const recovered = (one: Mounted, lines: readonly unknown[]): void => {
    const head = { holder: { pid: 1, start: '0' }, token: TOKEN };
    writeFileSync(
      one.about.place.journal,
      [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const project = Folder.open(one.project);
    try {
      recoverCommit(one.about.place.journal, project);
    } finally {
      project.close();
    }
  };

  it('touches nothing outside of the project, and no name that is not a commit’s own', async () => {
    const one = mounted();
    const outside = outsideOf(one);
    for (const folder of [outside, one.root, one.project, join(one.project, 'd')])
      writeFileSync(join(folder, `.sub-${TOKEN}-0`), 'own');
    const before = treeOf(outside);
    recovered(one, [
      {
        open: [
          [0, '../outside/f'],
          [0, '../f'],
          [0, '/../outside/f'],
          [0, 'd/../../outside/f'],
          [0, `${outside}/f`],
        ],
      },
      { open: [[0, '..'], [0, '.'], [0, ''], [-1, 'a'], [1.5, 'a'], ['0/../a', 'a'], null, 7] },
    ]);
    expect(treeOf(outside)).toEqual(before);
    expect(existsSync(join(one.root, `.sub-${TOKEN}-0`))).toBe(true);
    expect(inProject(one, 'cat a d/b d/e/c f/g')).toBe('1\n2\n3\n4\n');
  });

  it('is waited for by nobody if it is a pipe, and followed by nobody if it is a link', async () => {
    const one = mounted();
    const { journal } = one.about.place;
    const project = Folder.open(one.project);
    onTestFinished(() => project.close());
    const secret = join(one.root, 'secret');
    writeFileSync(secret, `{"holder":{"pid":1,"start":"0"},"token":"${TOKEN}"}\n{"open":[[0,"a"]]}\n`);
    symlinkSync(secret, journal);
    expect(() => recoverCommit(journal, project)).toThrow('ELOOP');
    rmSync(journal);
    execFileSync('mkfifo', [journal]);
    recoverCommit(journal, project);
    expect([existsSync(secret), existsSync(journal), inProject(one, 'cat a')]).toEqual([true, false, '1\n']);
  });
});

describe.skipIf(why !== undefined)(`a project that does not let itself be written${absent}`, () => {
  it('stays as it is where it is mounted for reading', async () => {
    const one = mounted();
    await one.run('echo 9 > a; echo 9 > n; rm d/b; mkdir x; chmod 700 d; ln -s a l');
    const before = treeOf(one.project);
    const script = `mount --bind ${one.project} ${one.project} && mount -o remount,ro,bind ${one.project} && "$@"`;
    const { left, done } = await ended(one, ['unshare', '-m', 'sh', '-c', script, 'sh']);
    expect([done, left.every((text) => text.startsWith('denied ') && text.endsWith(' EROFS'))]).toEqual([
      0,
      true,
    ]);
    expect(left).toHaveLength(6);
    expect(treeOf(one.project)).toEqual(before);
  });

  it('keeps a file that nobody may change, and takes the rest', async () => {
    const one = mounted();
    await one.run('echo 9 > a; echo 9 > n; rm d/b');
    // The project's time of each is known before it is made so.
    await diffOf(one.about);
    inProject(one, 'chattr +i a d/b');
    try {
      const { left } = await ended(one);
      expect(left.toSorted()).toEqual(['changed d/b', 'denied a EPERM']);
      expect(inProject(one, 'cat a d/b n')).toBe('1\n2\n9\n');
      expect(ownNames(one)).toEqual([]);
    } finally {
      inProject(one, 'chattr -i a d/b');
    }
  });

  it('keeps another file system that is mounted inside of it', async () => {
    const one = mounted('mkdir m k; echo below > m/f');
    await one.run('rm -r m k; echo 1 > n; mkdir -p o; echo 2 > o/p');
    const script = `mount -t tmpfs none ${one.project}/m && echo mounted > ${one.project}/m/f && mount -t tmpfs none ${one.project}/k && "$@"; cat ${one.project}/m/f > ${one.root}/there`;
    const { left } = await ended(one, ['unshare', '-m', 'sh', '-c', script, 'sh']);
    expect(left.toSorted()).toEqual(['denied k EBUSY', 'holds_others m', 'stale m/f']);
    expect(readFileSync(join(one.root, 'there'), 'utf8')).toBe('mounted\n');
    expect(readdirSync(one.project).toSorted()).toEqual(['k', 'm', 'n', 'o']);
    expect(readFileSync(join(one.project, 'm/f'), 'utf8')).toBe('below\n');
  });
});

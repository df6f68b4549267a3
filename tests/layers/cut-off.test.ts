import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Folder, recoverCommit, shown } from '@subluminal/layers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commit } from './kit/commit.js';
import { treeOf } from './kit/difference.js';
import { Mounted, whyNoLayers } from './kit/mounted.js';
import { AS_NOBODY, ended, giveToNobody, started } from './kit/process.js';

const KILLS = process.env['SUB_LONG'] === undefined ? 20 : 200;
vi.setConfig({ testTimeout: KILLS * 15_000 });
const why = whyNoLayers();
const absent = why === undefined ? '' : ` (not here: ${why})`;

const PROJECT = `
mkdir -p d/e g; for n in $(seq 1 120); do echo old $n > d/$n; done; echo f > d/e/f; for n in 1 2 3; do mkdir -p g/$n; done
echo 1 > file; mkdir folder; chmod -R a+rwX .`;
const CHANGES = `
for n in $(seq 1 60); do echo new $n > d/$n; done; for n in $(seq 100 120); do rm d/$n; done
mkdir x; for n in $(seq 1 200); do echo made $n > x/$n; done
for n in 1 2 3; do rmdir g/$n; echo was a folder > g/$n; done; rm file; mkdir file; echo in > file/in; rmdir folder; ln -s d folder`;

const mounted = async (project = PROJECT, changes = CHANGES): Promise<Mounted> => {
  const one = new Mounted(project);
  onTestFinished(() => one.remove());
  await one.run(changes);
  return one;
};

/** Kills the commit so many milliseconds after its first step. */
const killed = (one: Mounted, after: number): Promise<void> =>
  new Promise((resolve) => {
    const child = started(one);
    child.stdout?.once('data', () => setTimeout(() => child.kill('SIGKILL'), after));
    child.once('close', () => resolve());
  });

const ownNames = (project: string): readonly string[] =>
  [...treeOf(project).keys()].filter((path) => path.includes('.sub-'));

describe.skipIf(why !== undefined)(`a commit that is cut off${absent}`, () => {
  it('leaves each file old or new when it is killed, and is brought to its end by the next', async () => {
    const reached = new Set<boolean>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const one = await mounted();
      const old = treeOf(one.project);
      const seen = treeOf(one.seen);
      await killed(one, (kill % 40) * 2);
      reached.add(existsSync(one.about.place.journal));
      for (const [path, is] of treeOf(one.project))
        if (!path.includes('.sub-')) expect([old.get(path), seen.get(path)], path).toContain(is);
      const project = Folder.open(one.project);
      recoverCommit(one.about.place.journal, project);
      project.close();
      const between = treeOf(one.project);
      expect(ownNames(one.project)).toEqual([]);
      for (const [path, was] of old)
        // A name that both sides have is never missing.
        if (seen.has(path)) expect([was, seen.get(path)], path).toContain(between.get(path));
      const { left } = await ended(one);
      expect(left).toEqual([]);
      expect(treeOf(one.project)).toEqual(seen);
      one.remove();
    }
    expect(reached).toContain(true);
  });

  it('has a journal that may be cut anywhere', async () => {
    const one = await mounted('echo 1 > a; mkdir b', 'echo 2 > a; rmdir b; echo 3 > b; echo 4 > c');
    const token = 'ab'.repeat(16);
    const whole = Buffer.from(
      `{"holder":{"pid":1,"start":"0"},"token":"${token}"}\n{"open":[[0,"a"],[1,"b"]]}\n{"shut":true}\n{"open":[[2,"c"]]}\n`,
    );
    for (let cut = 0; cut <= whole.length; cut += 1) {
      writeFileSync(one.about.place.journal, whole.subarray(0, cut));
      // Names of a step that the journal had told, as far as it goes.
      const told = whole.subarray(0, cut).toString();
      const step = told.endsWith('"c"]]}\n') ? 2 : 0;
      const isTold = step === 2 || (told.includes('"b"]]}\n') && !told.includes('shut":true}\n'));
      if (isTold) writeFileSync(join(one.project, `.sub-${token}-${step}`), 'half');
      const project = Folder.open(one.project);
      expect(recoverCommit(one.about.place.journal, project)).toEqual([]);
      project.close();
      expect(ownNames(one.project)).toEqual([]);
      expect(existsSync(one.about.place.journal)).toBe(false);
    }
    expect((await commit(one.about)).left).toEqual([]);
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
  });

  it('puts a folder back that somebody has filled while it was aside', async () => {
    const one = await mounted('mkdir b', 'rmdir b; echo 3 > b');
    const token = 'cd'.repeat(16);
    appendFileSync(
      one.about.place.journal,
      `{"holder":{"pid":1,"start":"0"},"token":"${token}"}\n{"open":[[0,"b"]]}\n`,
    );
    execFileSync(
      'sh',
      ['-c', `mv b .sub-${token}-0-old; echo host > .sub-${token}-0-old/host; echo 3 > .sub-${token}-0`],
      {
        cwd: one.project,
      },
    );
    const project = Folder.open(one.project);
    recoverCommit(one.about.place.journal, project);
    project.close();
    expect(readFileSync(join(one.project, 'b/host'), 'utf8')).toBe('host\n');
    expect(ownNames(one.project)).toEqual([]);
  });

  it('keeps what was set aside if somebody else has its name by then, and says where', async () => {
    const one = await mounted(
      'echo old > a; mkdir b; echo old > c',
      'rm a c; mkdir a c; rmdir b; echo 3 > b',
    );
    const token = 'ef'.repeat(16);
    appendFileSync(
      one.about.place.journal,
      `{"holder":{"pid":1,"start":"0"},"token":"${token}"}\n{"open":[[0,"a"],[1,"b"],[2,"c"]]}\n`,
    );
    const own = (step: number): string => `.sub-${token}-${step}`;
    const script = [
      `mv a ${own(0)}-old; mkdir ${own(0)}; echo host > a`,
      `mv b ${own(1)}-old; echo 3 > ${own(1)}; ln ${own(1)} b`,
      `mv c ${own(2)}-old; mkdir c`,
    ];
    execFileSync('sh', ['-ec', script.join('; ')], { cwd: one.project });
    const project = Folder.open(one.project);
    const kept = recoverCommit(one.about.place.journal, project);
    project.close();
    expect(kept?.map(({ path, at }) => `${shown(path)} ${shown(at)}`)).toEqual([`a ${own(0)}-kept`]);
    const read = (name: string): string => readFileSync(join(one.project, name), 'utf8');
    expect([read('a'), read('b'), read(`${own(0)}-kept`), readdirSync(one.project).toSorted()]).toEqual([
      'host\n',
      '3\n',
      'old\n',
      [`${own(0)}-kept`, 'a', 'b', 'c'],
    ]);
  });

  it('is refused while another one of the layer goes on', async () => {
    const one = await mounted('echo 1 > a', 'echo 2 > a');
    writeFileSync(
      one.about.place.journal,
      `${JSON.stringify({ holder: one.about.world, token: 'ef'.repeat(16) })}\n`,
    );
    await expect(commit(one.about)).rejects.toThrow('a commit of this layer is going on');
    expect(readFileSync(join(one.project, 'a'), 'utf8')).toBe('1\n');
  });
});

describe.skipIf(why !== undefined)(`a commit that the system does not let${absent}`, () => {
  it('stops where the disk is full, with whole files alone', async () => {
    const one = await mounted('true', 'for n in $(seq 1 40); do head -c 100000 /dev/urandom > f$n; done');
    const seen = treeOf(one.seen);
    const full = join(one.root, 'full');
    mkdirSync(full);
    // A small disk in the place of the project is another folder, of which the layer may not know.
    const { over: _, ...about } = JSON.parse(readFileSync(one.about.place.about, 'utf8')) as {
      over?: unknown;
    };
    writeFileSync(one.about.place.about, JSON.stringify(about));
    const script = `mount -t tmpfs -o size=1m none ${one.project} && "$@"; cp -a ${one.project}/. ${full}`;
    const { isFull, left, done } = await ended(one, ['unshare', '-m', 'sh', '-c', script, 'sh']);
    expect(isFull).toBe(true);
    expect(left.length).toBe(40 - done);
    expect(left.every((text) => text.startsWith('not_reached f'))).toBe(true);
    const there = treeOf(full);
    expect(there.size).toBe(done);
    for (const [path, is] of there) expect(is).toBe(seen.get(path));
  });

  it('names what a plain user may not change, and takes over the rest', async () => {
    const one = await mounted(
      'mkdir mine roots; echo 1 > mine/a; echo 2 > roots/b; echo 3 > roots/c; chmod 755 roots; chown -R 65534:65534 mine',
      'echo 9 > mine/a; echo 9 > roots/b; rm roots/c; echo 9 > mine/n; echo 9 > roots/n',
    );
    giveToNobody(join(one.root, 'layers'));
    const { left } = await ended(one, AS_NOBODY);
    expect(left.toSorted()).toEqual([
      'denied roots/b EACCES',
      'denied roots/c EACCES',
      'denied roots/n EACCES',
    ]);
    expect(readFileSync(join(one.project, 'mine/a'), 'utf8')).toBe('9\n');
    expect(readdirSync(join(one.project, 'roots')).toSorted()).toEqual(['b', 'c']);
    expect(ownNames(one.project)).toEqual([]);
  });

  it('takes over files and folders that their plain owner may not read', async () => {
    const one = await mounted(
      'mkdir d; echo 1 > d/a; chmod 555 d; chown -R 65534:65534 .',
      'echo 1 > n; chmod 000 n; chmod 755 d; rm d/a; echo 3 > d/b; chmod 500 d',
    );
    giveToNobody(join(one.root, 'layers'));
    expect((await ended(one, AS_NOBODY)).left).toEqual([]);
    expect(treeOf(one.project)).toEqual(treeOf(one.seen));
  });

  it('holds against a process that swaps folders and files on both sides', async () => {
    const one = await mounted(
      'mkdir -p p/q; echo 1 > p/q/f; echo 1 > p/q/g',
      'for n in $(seq 1 300); do echo world $n > p/q/n$n; done; echo world > p/q/f; rm p/q/g',
    );
    const outside = join(one.root, 'outside');
    mkdirSync(join(outside, 'q'), { recursive: true });
    writeFileSync(join(outside, 'q/f'), 'canary');
    writeFileSync(join(outside, 'q/g'), 'canary');
    const before = treeOf(outside);
    const swap = `
while :; do
  for side in ${one.project} ${one.about.place.upper}; do
    mv $side/p $side/p2 2>/dev/null; ln -s ${outside} $side/p 2>/dev/null; rm -f $side/p; mv $side/p2 $side/p 2>/dev/null
    mv $side/p/q $side/p/q2 2>/dev/null; ln -s ${outside}/q $side/p/q 2>/dev/null; rm -f $side/p/q; mv $side/p/q2 $side/p/q 2>/dev/null
    rm -f $side/p/q/f; ln -s ${outside}/q/f $side/p/q/f 2>/dev/null; mkfifo $side/p/q/n7 2>/dev/null
  done
done`;
    // A group of its own: what the shell has just started goes on without it.
    const swapper = spawn('/bin/sh', ['-c', swap], { stdio: 'ignore', detached: true });
    const over = new Promise((resolve) => swapper.once('close', resolve));
    try {
      for (let round = 0; round < 6; round += 1) await ended(one);
    } finally {
      process.kill(-(swapper.pid ?? 0), 'SIGKILL');
      await over;
    }
    expect(treeOf(outside)).toEqual(before);
    rmSync(join(one.project, 'p'), { recursive: true, force: true, maxRetries: 5 });
  });
});

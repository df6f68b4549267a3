import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffOf, diffTold, Layer, pathOfText, rememberTaken, shown } from '@subluminal/layers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commit } from './kit/commit.js';
import { differenceOf } from './kit/difference.js';
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

const opened = (one: Mounted): Layer => {
  const layer = new Layer(one.about);
  onTestFinished(() => layer.close());
  return layer;
};

const hows = (layer: Pick<Layer, 'diff'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    layer.diff.changes.filter(({ how }) => how !== 'touched').map(({ path, how }) => [shown(path), how]),
  );

describe.skipIf(why !== undefined)(`the diff of a layer${absent}`, () => {
  it('names what was added, changed, replaced and taken away', async () => {
    const one = mounted();
    const layer = opened(one);
    await one.run(
      'echo new > n; echo more >> a; chmod 600 f/g; rm d/b; rm l; mkdir l; touch d/e/c; mkfifo p',
    );
    const steps = await layer.look();
    expect(layer.diff.changes.map(({ path, how }) => `${how} ${shown(path)}`)).toEqual([
      'modified a',
      'deleted d/b',
      'touched d/e/c',
      'mode f/g',
      'replaced l',
      'added n',
      'added p',
    ]);
    expect(diffTold(steps, false)).toEqual({
      added: 2,
      modified: 3,
      deleted: 1,
      paths: ['~ a', '- d/b', '~ f/g', '~ l', '+ n', '+ p'],
    });
  });

  it('tells what a command changed, and not what those before it did', async () => {
    const one = mounted();
    const layer = opened(one);
    await one.run('echo 1 > one; echo 1 > two; rm a');
    expect(diffTold(await layer.look(), false)?.paths).toEqual(['- a', '+ one', '+ two']);
    await one.run('echo 2 >> one; rm two; echo back > a');
    expect(diffTold(await layer.look(), false)?.paths).toEqual(['+ a', '~ one', '- two']);
    await one.run('true');
    expect(diffTold(await layer.look(), false)).toBeUndefined();
    expect(hows(layer)).toEqual({ a: 'modified', one: 'added' });
  });

  it('tells what is in a folder that was moved, also in the place of another one', async () => {
    const one = mounted();
    const layer = opened(one);
    await one.run('mkdir -p x/s y; echo 1 > x/n; echo 1 > x/s/m; echo 2 > y/n');
    await layer.look();
    await one.run('sleep 0.05; mv x z; touch z/more');
    expect(diffTold(await layer.look(), false)?.paths).toEqual([
      '- x/n',
      '- x/s/m',
      '+ z/more',
      '+ z/n',
      '+ z/s/m',
    ]);
    await one.run('sleep 0.05; rm -r y; mv z y');
    expect(diffTold(await layer.look(), false)?.paths).toEqual([
      '+ y/more',
      '~ y/n',
      '+ y/s/m',
      '- z/more',
      '- z/n',
      '- z/s/m',
    ]);
    await one.run('sleep 0.05; echo 3 > y/s/m');
    expect(diffTold(await layer.look(), false)?.paths).toEqual(['~ y/s/m']);
  });

  it('names each file of a folder that was made anew or taken away', async () => {
    const one = mounted();
    const layer = opened(one);
    await one.run('rm -r d f; mkdir -p d/e; echo 3 > d/e/c; echo x > d/new');
    await layer.look();
    expect(hows(layer)).toEqual({ 'd/b': 'deleted', 'd/new': 'added', f: 'deleted', 'f/g': 'deleted' });
    await one.run('echo 2 > d/b; rm -r d/e');
    await layer.look();
    expect(hows(layer)).toEqual({
      'd/e': 'deleted',
      'd/e/c': 'deleted',
      'd/new': 'added',
      f: 'deleted',
      'f/g': 'deleted',
    });
  });

  it('shows names that are no text, without a byte that a terminal would obey', async () => {
    const one = mounted();
    await one.run(String.raw`touch "$(printf 'x\377\ny')" "$(printf '\033[2J')" 'back\slash' ümlaut`);
    const { changes } = await diffOf(one.about);
    expect(changes.map(({ path }) => shown(path))).toEqual([
      String.raw`\x1b[2J`,
      String.raw`back\x5cslash`,
      String.raw`x\xff\x0ay`,
      'ümlaut',
    ]);
  });

  it('knows what somebody else changed in the project behind the back of the world', async () => {
    const one = mounted();
    const layer = opened(one);
    await layer.look();
    await one.run('cat a d/e/c');
    // As most editors save: the world goes on with the file that it has found.
    writeFileSync(join(one.project, 'fresh'), 'of somebody else');
    renameSync(join(one.project, 'fresh'), join(one.project, 'a'));
    // A file that is older than the world, and was written since, takes the name of another one.
    appendFileSync(join(one.project, 'f/g'), 'of somebody else');
    await new Promise((resolve) => setTimeout(resolve, 20));
    renameSync(join(one.project, 'f/g'), join(one.project, 'd/e/c'));
    await one.run('sleep 0.05; echo 5 >> a; echo 6 > d/b; echo 7 >> d/e/c');
    await layer.look();
    expect(layer.diff.changes.map(({ path, isStale }) => [shown(path), isStale])).toEqual([
      ['a', true],
      ['d/b', false],
      ['d/e/c', true],
    ]);
    writeFileSync(join(one.project, 'd/b'), 'later');
    const { changes } = await diffOf(one.about);
    expect(changes.find(({ path }) => shown(path) === 'd/b')?.before).toMatchObject({ size: 2 });
  });

  it('knows that the world saw what somebody else wrote into a file that it has found', async () => {
    const one = mounted();
    await one.run('cat a');
    appendFileSync(join(one.project, 'a'), 'of somebody else');
    await one.run('sleep 0.05; echo 5 >> a');
    appendFileSync(join(one.project, 'd/b'), 'before');
    await one.run('echo 6 >> d/b');
    appendFileSync(join(one.project, 'd/b'), 'behind');
    const { changes } = await diffOf(one.about);
    expect(changes.map(({ path, isStale }) => [shown(path), isStale])).toEqual([
      ['a', false],
      ['d/b', true],
    ]);
  });

  it('knows that the world saw nothing of a folder that somebody else moved to its place', async () => {
    const one = mounted(`${PROJECT}; cp -r d new; echo unseen > new/b; mkdir k; echo 1 > k/a`);
    await one.run('cat d/b d/e/c f/g k/a');
    execFileSync('/bin/sh', ['-ec', 'mv d old; mv new d; echo 1 > k/b; chmod 750 f'], { cwd: one.project });
    await one.run('echo 5 >> d/b; rm d/e/c; echo 5 >> k/a; rm -r f');
    const { changes } = await diffOf(one.about);
    expect(changes.map(({ path, isStale }) => [shown(path), isStale])).toEqual([
      ['d/b', true],
      ['d/e/c', true],
      ['f', true],
      ['f/g', true],
      ['k/a', false],
    ]);
    expect((await commit(one.about)).left).toEqual(
      ['stale d/b', 'stale d/e/c', 'stale f', 'stale f/g'].toSorted(),
    );
  });

  it('takes a folder whose mode a commit has set for one that the world saw', async () => {
    const one = mounted();
    const layer = opened(one);
    await one.run('chmod 750 d');
    await layer.look();
    await commit(one.about);
    await rememberTaken(layer, [pathOfText('d')]);
    await one.run('echo 5 >> d/b');
    await layer.look();
    expect(layer.diff.changes.map(({ path, isStale }) => [shown(path), isStale])).toEqual([['d/b', false]]);
  });

  it('forgets how the project was where the world has taken its own away again', async () => {
    const one = mounted();
    await one.run('echo 1 > p; echo 1 > q');
    await diffOf(one.about);
    await one.run('rm p');
    const layer = opened(one);
    await layer.look();
    const isKnown = (name: string): boolean => layer.bases.of(pathOfText(name)) !== undefined;
    expect([isKnown('p'), isKnown('q')]).toEqual([false, true]);
  });

  it('remembers no more of a world that makes and removes files all day than of its changes', async () => {
    const one = mounted();
    const layer = opened(one);
    for (const round of [1, 2]) {
      await one.run(`perl -e 'for (1..6000) { open F, ">", "n${round}-$_" }'`);
      await layer.look();
      await one.run(`perl -e 'unlink "n${round}-$_" for 1..6000'; echo ${round} >> a`);
      await layer.look();
    }
    expect([layer.bases.size, Object.keys(hows(layer))]).toEqual([1, ['a']]);
  });

  it('is of nothing that was taken over, however much that is', async () => {
    const one = mounted('for n in $(seq 1 1400); do echo old > $n; done');
    const layer = opened(one);
    await one.run('for n in $(seq 1 2600); do echo world $n > $n; done');
    await layer.look();
    const { applied } = await commit(one.about);
    await rememberTaken(layer, applied.done);
    expect(hows({ diff: await diffOf(one.about) })).toEqual({});
    writeFileSync(join(one.project, '2599'), 'of somebody else');
    await one.run('echo more >> 2600');
    expect(hows({ diff: await diffOf(one.about) })).toEqual({ '2600': 'modified' });
  });

  it('reads no file of the project that a link in the layer leads to', async () => {
    const one = mounted();
    await one.run('rm -r d; ln -s /etc d; rm a; ln -s /etc/passwd a');
    expect(hows({ diff: await diffOf(one.about) })).toEqual({
      a: 'replaced',
      d: 'replaced',
      'd/b': 'deleted',
      'd/e': 'deleted',
      'd/e/c': 'deleted',
    });
  });

  it('ends at a bound, and says so', async () => {
    const one = mounted();
    await one.run('for i in $(seq 1 450); do mkdir x && cd x; done; echo deep > file');
    const { isTruncated, changes } = await diffOf(one.about);
    expect([isTruncated, changes.length > 300]).toEqual([true, true]);
  });

  it('is of files that are large or have no bytes on the disk as quick as of others', async () => {
    const one = mounted('truncate -s 1T big; echo small > small');
    const layer = opened(one);
    await one.run('touch small; echo x >> small; truncate -s 2T new');
    await layer.look();
    expect(hows(layer)).toEqual({ new: 'added', small: 'modified' });
  });

  it('takes a file with the same bytes for the same, if its time or place in the folder is another', async () => {
    const one = mounted();
    await one.run('cp -p a x && mv x a; cat d/b > y; mv y d/b');
    utimesSync(join(one.project, 'f/g'), 1, 1);
    expect(hows({ diff: await diffOf(one.about) })).toEqual({});
  });

  it('is the difference that the same commands make in a copy, whenever one looks', async () => {
    const name = fc.constantFrom('a', 'd', 'd/b', 'd/e', 'd/e/c', 'f/g', 'l', 'n', 'd/n', 'f');
    const command = fc.oneof(
      fc.tuple(name, fc.nat(3)).map(([path, text]) => `echo ${text} > ${path}`),
      fc.tuple(name).map(([path]) => `echo more >> ${path}`),
      fc.tuple(name).map(([path]) => `rm -rf ${path}`),
      fc.tuple(name).map(([path]) => `mkdir -p ${path}`),
      fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
      fc.tuple(name, name).map(([from, to]) => `cp -rT ${from} ${to}`),
      fc.tuple(name, name).map(([from, to]) => `ln -sfT ${from} ${to}`),
      fc.tuple(name, name).map(([from, to]) => `ln -fT ${from} ${to}`),
      fc
        .tuple(name, fc.constantFrom('600', '755', '4755', '1777'))
        .map(([path, mode]) => `chmod ${mode} ${path}`),
      fc.tuple(name).map(([path]) => `touch ${path}`),
      fc.constant('LOOK'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
        const one = new Mounted(PROJECT);
        const layer = new Layer(one.about);
        try {
          await one.run('true');
          for (const words of commands) {
            if (words === 'LOOK') await layer.look();
            else await one.run(words);
          }
          await layer.look();
          const expected = differenceOf(one.project, one.seen);
          expect(hows(layer)).toEqual(expected);
          expect(hows({ diff: await diffOf(one.about) })).toEqual(expected);
        } finally {
          layer.close();
          one.remove();
        }
      }),
      { numRuns: Number(process.env['LAYER_RUNS'] ?? 60) },
    );
  });
});

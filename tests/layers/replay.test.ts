import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, diffOf, isBelow, Layer, letGo, patchesOf, pathOfText, shown } from '@subluminal/layers';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { treeOf } from './kit/difference.js';
import { Mounted, whyNoLayers } from './kit/mounted.js';

vi.setConfig({ testTimeout: 180_000 });

const why = whyNoLayers();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const PROJECT = `
mkdir -p d/e f
for n in 1 2 3 4 5 6 7 8 9; do echo line $n >> a; done; echo 2 > d/b; echo 3 > d/e/c; echo 4 > f/g; ln -s a l`;
/** A run starts some twenty programs. */
const RUNS = { numRuns: process.env['SUB_LONG'] === undefined ? 8 : 80 };

const NAMES = ['a', 'd', 'd/b', 'd/e', 'd/e/c', 'f', 'f/g', 'l', 'n', 'd/n', 'd/e/n'];
const name = fc.constantFrom(...NAMES);
const deed = fc.oneof(
  fc.tuple(name, fc.nat(9)).map(([path, text]) => `echo ${text} > ${path}`),
  fc.tuple(name, fc.nat(9)).map(([path, text]) => `sed -i "${text}s/.*/changed/" ${path}`),
  name.map((path) => `echo more >> ${path}`),
  name.map((path) => `rm -rf ${path}`),
  name.map((path) => `mkdir -p ${path}`),
  name.map((path) => `rmdir ${path}`),
  fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `cp -rT ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `ln -sfT ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `ln -fT ${from} ${to}`),
  fc.tuple(name, fc.constantFrom('600', '755', '711')).map(([path, mode]) => `chmod ${mode} ${path}`),
);
const deeds = fc.array(deed, { minLength: 1, maxLength: 12 });

/** Does what a diff says, and nothing else, in a copy of the project. */
function replay(changes: readonly Change[], upper: string, copy: string): void {
  const at = (change: Change): string => join(copy, shown(change.path));
  for (const change of changes.toReversed())
    if (change.how === 'deleted' || change.how === 'replaced' || change.before?.kind === 'link') {
      if (change.before?.kind === 'folder') rmdirSync(at(change));
      else rmSync(at(change));
    }
  for (const change of changes) {
    const { after } = change;
    if (after === undefined) continue;
    if (after.kind === 'folder') mkdirSync(at(change), { recursive: true });
    else if (after.kind === 'link') symlinkSync(shown(after.target ?? change.path), at(change));
    else cpSync(join(upper, shown(change.path)), at(change));
    if (after.kind !== 'link') chmodSync(at(change), after.mode);
  }
}

const withMounted = async (work: (one: Mounted) => Promise<void>): Promise<void> => {
  const one = new Mounted(PROJECT);
  try {
    await work(one);
  } finally {
    one.remove();
  }
};

const copied = (one: Mounted): string => {
  const copy = join(one.root, 'copy');
  execFileSync('cp', ['-a', one.project, copy]);
  return copy;
};

describe.skipIf(why !== undefined)(`the changes of a layer${absent}`, () => {
  it('make of a copy of the project what the world sees, whatever a world does', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, (scripts) =>
        withMounted(async (one) => {
          await one.run(scripts.join('; '));
          const copy = copied(one);
          replay((await diffOf(one.about)).changes, one.about.place.upper, copy);
          expect(treeOf(copy)).toEqual(treeOf(one.seen));
        }),
      ),
      RUNS,
    );
  });

  it('make the same as lines that `patch` obeys, as long as they are of text', async () => {
    const edit = fc.oneof(
      fc
        .tuple(fc.constantFrom('a', 'd/b', 'd/e/c', 'n', 'd/n'), fc.nat(99))
        .map(([path, text]) => `echo ${text} >> ${path}`),
      fc
        .tuple(fc.constantFrom('a', 'd/b', 'f/g'), fc.nat(9))
        .map(([path, line]) => `sed -i "${line}s/.*/changed/" ${path}`),
      fc.constantFrom('a', 'd/b', 'n').map((path) => `printf end >> ${path}`),
      fc.constantFrom('a', 'd/b', 'd/e/c', 'f/g', 'n').map((path) => `rm -f ${path}`),
      fc.constantFrom('x', 'd/x').map((path) => `mkdir -p ${path}; seq 1 40 > ${path}/new`),
    );
    const files = (root: string): object =>
      Object.fromEntries([...treeOf(root)].filter(([, is]) => is.startsWith('file')));
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 10 }), (scripts) =>
        withMounted(async (one) => {
          await one.run(scripts.join('; '));
          const copy = copied(one);
          const layer = new Layer(one.about);
          await layer.look();
          const input = `${[...patchesOf(layer.diff.changes, layer)].flat().join('\n')}\n`;
          layer.close();
          const isSaid = input.includes('@@');
          if (isSaid) execFileSync('patch', ['-p1', '-s', '-E'], { cwd: copy, input });
          expect(files(copy)).toEqual(files(one.seen));
        }),
      ),
      RUNS,
    );
  });

  it('are gone without a trace once they are thrown away, all or some', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.subarray(NAMES), (scripts, chosen) =>
        withMounted(async (one) => {
          const before = treeOf(one.project);
          await one.run(scripts.join('; '));
          const seen = treeOf(one.seen);
          await one.unmount();
          const layer = new Layer(one.about);
          await layer.look();
          const places = chosen.map((path) => pathOfText(path));
          const isChosen = ({ path }: Change): boolean =>
            places.some((place) => place === path || isBelow(path, place));
          const paths = new Set(layer.diff.changes.filter(isChosen).map(({ path }) => path));
          const stays = new Set(await letGo(one.about, layer, paths));
          const rest = layer.diff.changes.filter(({ path }) => !paths.has(path));
          for (const { path } of layer.diff.changes)
            if (paths.has(path)) expect([...stays], shown(path)).toContain(path);
          layer.close();
          expect(treeOf(one.project)).toEqual(before);
          // With the last change that anybody is told of the layer goes.
          if (existsSync(one.about.place.upper)) {
            await one.run('true');
            const now = treeOf(one.seen);
            for (const path of paths) {
              const text = shown(path);
              if (stays.has(path)) expect([text, now.get(text)]).toEqual([text, seen.get(text)]);
              else expect([text, now.get(text)]).toEqual([text, before.get(text)]);
            }
            for (const { path } of rest) expect(now.get(shown(path))).toBe(seen.get(shown(path)));
          }
        }),
      ),
      {
        ...RUNS,
        // A file that was moved, and one in its old place again, are two.
        examples: [
          [['mv -T d/b a', 'chmod 600 a'], ['d/b']],
          [['mv -T d/b a', 'echo 1 > d/b', 'chmod 600 a'], ['d/b']],
          [['mv -T d/b n', 'echo more >> n'], ['d/b']],
          // Of a folder that was made anew, and hides what the project has.
          [['rm -rf d', 'mkdir -p d/e', 'echo 1 > d/n', 'echo 2 > d/b'], ['d/b']],
          [['rm -rf d', 'mkdir -p d/e', 'echo 3 > d/e/c'], ['d/b']],
        ],
      },
    );
  });
});

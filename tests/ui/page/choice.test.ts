import { describe, expect, it } from 'vitest';
import { leavesOf, toTake, toThrow } from '../../../packages/ui/page/views/worlds/choice.js';
import { commandOf } from '../../../packages/ui/page/views/worlds/commands.js';
import type { LayerChange } from '@subluminal/ui/protocol';

const of = (path: string, state: LayerChange['state'] = 'taken', kind = 'file'): LayerChange => ({
  path,
  state,
  kind,
  sign: '+',
  how: 'added',
  size: 1,
  reasons: [],
  why: '',
  what: '',
  help: '',
  remark: '',
  overwrite: false,
});
const CHANGES = [
  of('Makefile', 'asks'),
  of('d', 'taken', 'folder'),
  of('d/a'),
  of('d/e', 'taken', 'folder'),
  of('d/e/b'),
  of('d.txt'),
  of('link', 'left'),
];
const all = (): boolean => true;
const only =
  (...paths: readonly string[]) =>
  ({ path }: LayerChange): boolean =>
    paths.includes(path);

describe('a choice of files of a layer', () => {
  it('is of files, and of folders in which nothing is listed', () => {
    expect(leavesOf(CHANGES).map(({ path }) => path)).toEqual(['Makefile', 'd/a', 'd/e/b', 'd.txt', 'link']);
  });

  it('of all that is not asked about is all, with what is not listed, and without a yes', () => {
    const plain = toTake(CHANGES, 7, ({ state }) => state === 'taken');
    expect(plain).toMatchObject({ paths: null, count: 10, risky: [] });
    // A yes to a risk is for what is listed.
    expect(toTake(CHANGES, 7, all)).toMatchObject({
      paths: ['Makefile', 'd/a', 'd/e/b', 'd.txt'],
      count: 4,
      risky: [{ path: 'Makefile' }],
    });
    expect(toTake(CHANGES, 0, all)).toMatchObject({ paths: null, count: 4, risky: [{ path: 'Makefile' }] });
  });

  it('has a folder stand for what is below it only if all of that is chosen', () => {
    expect(toTake(CHANGES, 0, only('d/a', 'd/e/b')).paths).toEqual(['d']);
    expect(toTake(CHANGES, 0, only('d/e/b')).paths).toEqual(['d/e']);
    // A folder of a list that was cut may hold more.
    expect(toTake(CHANGES, 1, only('d/a', 'd/e/b')).paths).toEqual(['d/a', 'd/e/b']);
    expect(toThrow(CHANGES, 1, only('d/a', 'd/e/b')).paths).toEqual(['d/a', 'd/e/b']);
    const bare = [...CHANGES, of('new', 'taken', 'folder')];
    expect(toTake(bare, 1, only('d/a', 'new'))).toMatchObject({ paths: ['d/a'], count: 1 });
    expect(toTake(CHANGES, 3, only('Makefile', 'd/a'))).toMatchObject({
      paths: ['Makefile', 'd/a'],
      count: 2,
      risky: [{ path: 'Makefile' }],
    });
  });

  it('takes no risk that was not chosen, and nothing that is left', () => {
    const some = toTake(
      [...CHANGES, of('x.mk', 'asks')],
      0,
      only('Makefile', 'd/a', 'd/e/b', 'd.txt', 'link'),
    );
    expect(some.paths).toEqual(['Makefile', 'd', 'd.txt']);
  });

  it('throws away what is left and asked about, too, and all only if all is chosen', () => {
    expect(toThrow(CHANGES, 2, all)).toMatchObject({ paths: null, count: 7 });
    expect(toThrow(CHANGES, 2, only('link', 'Makefile'))).toMatchObject({
      paths: ['Makefile', 'link'],
      count: 2,
    });
    expect(toThrow(CHANGES, 0, () => false)).toMatchObject({ paths: [], count: 0 });
  });

  it('overwrites what was chosen for that alone, each by its name, and in the place of no folder', () => {
    const [mine, mixed] = [
      { ...of('d/mine', 'left'), overwrite: true, reasons: ['git runs it'] },
      [of('d', 'taken', 'folder'), of('d/a'), { ...of('d/other', 'left'), overwrite: true }, of('d.txt')],
    ];
    const some = toTake([...mixed, mine], 0, only('d/a', 'd.txt'), only('d/mine', 'd/a'));
    expect(some).toMatchObject({
      paths: ['d/a', 'd.txt', 'd/mine'],
      count: 3,
      risky: [{ path: 'd/mine' }],
      overwritten: [{ path: 'd/mine' }],
    });
    expect(toTake(mixed, 0, only('d/a', 'd.txt')).overwritten).toEqual([]);
    const world = { layer: 'ab12cd34', shown: 'f'.repeat(64), overwrite: 'e'.repeat(64) };
    expect(commandOf('commit', world, { ...some, risky: [], paths: ['d/mine'] })).toBe(
      `sub world commit --layer ab12cd34 --expect ${'e'.repeat(64)} --overwrite --as-shown -- d/mine`,
    );
  });

  it('is a command of the terminal, in which no name acts', () => {
    const world = { layer: 'ab12cd34', shown: 'f'.repeat(64), overwrite: 'e'.repeat(64) };
    const none = { count: 1, risky: [], overwritten: [] };
    expect(commandOf('commit', world, { ...none, paths: null })).toBe(
      `sub world commit --layer ab12cd34 --expect ${'f'.repeat(64)}`,
    );
    expect(commandOf('discard', world, { ...none, paths: ["a'; id", '$(id)', '-rf', 'plain/a.txt'] })).toBe(
      `sub world discard --layer ab12cd34 --expect ${'f'.repeat(64)} --as-shown -- 'a'\\''; id' '$(id)' '-rf' plain/a.txt`,
    );
    expect(commandOf('commit', world, { ...none, paths: ['a'], risky: [of('a', 'asks')] })).toContain(
      ' --yes ',
    );
    expect(commandOf('commit', world, { ...none, paths: Array.from({ length: 21 }, String) })).toBeNull();
  });
});

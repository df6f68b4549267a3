import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileState } from '../../diff/change.js';
import { pathOfText, shown } from '../../files/byte-path.js';
import { Folder } from '../../files/folder.js';
import { stateOf } from '../../files/state.js';
import { Outcome } from '../outcome.js';
import { ownerOf } from '../owner.js';
import { Planned } from '../planned.js';
import type { Doing } from './doing.js';
import { place } from './place.js';

const TOKEN = 'ab'.repeat(16);
const FRESH = pathOfText('fresh');

const setUp = (): { readonly root: string; readonly folder: Folder; readonly doing: Doing } => {
  const root = mkdtempSync('/var/tmp/sub-place-');
  const folder = Folder.open(root);
  onTestFinished(() => {
    folder.close();
    rmSync(root, { recursive: true });
  });
  const owner = ownerOf(folder, undefined);
  return { root, folder, doing: { token: TOKEN, outcome: new Outcome(), planned: new Planned(), owner } };
};

/** The state of a name, which somebody takes as soon as it is set aside, before another thing has it. */
const takenBy = (folder: Folder, root: string, name: string, take: (path: string) => void): FileState => {
  const state = stateOf(folder, pathOfText(name));
  if (state === undefined) throw new Error('nothing has that name');
  const path = join(root, name);
  return {
    ...state,
    get inode() {
      if (!existsSync(path)) take(path);
      return state.inode;
    },
  };
};

describe('whoever takes a name while one thing gives way to another', () => {
  it('keeps it, if an empty folder was to become a file', () => {
    const { root, folder, doing } = setUp();
    mkdirSync(join(root, 'b'));
    writeFileSync(join(root, 'fresh'), 'of the world');
    const now = takenBy(folder, root, 'b', (path) => writeFileSync(path, 'host'));
    const step = { does: 'put_file', path: pathOfText('b'), now, from: now, mode: 0o644, number: 7 } as const;
    expect(place(doing, step, folder, FRESH)).toBe(false);
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('host');
    expect(doing.outcome.conflicts).toEqual([{ path: 'b', why: 'exists' }]);
    expect(readdirSync(root).toSorted()).toEqual(['b', 'fresh']);
  });

  it('keeps it, if a file was to become a folder, and the file is kept, too', () => {
    const { root, folder, doing } = setUp();
    writeFileSync(join(root, 'a'), 'mine');
    mkdirSync(join(root, 'fresh'));
    const now = takenBy(folder, root, 'a', (path) => writeFileSync(path, 'host'));
    const step = { does: 'make_folder', path: pathOfText('a'), now, mode: 0o755, number: 7 } as const;
    expect(place(doing, step, folder, FRESH)).toBe(false);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('host');
    const [{ path, why, aside } = {}] = doing.outcome.conflicts;
    expect([path, why, aside === undefined ? '' : shown(aside)]).toEqual([
      'a',
      'exists',
      `.sub-${TOKEN}-7-kept`,
    ]);
    expect(readFileSync(join(root, `.sub-${TOKEN}-7-kept`), 'utf8')).toBe('mine');
  });

  it('keeps it, if the folder holds something and is to go back', () => {
    const { root, folder, doing } = setUp();
    mkdirSync(join(root, 'b'));
    writeFileSync(join(root, 'b/n'), 'mine');
    writeFileSync(join(root, 'fresh'), 'of the world');
    const now = takenBy(folder, root, 'b', (path) => writeFileSync(path, 'host'));
    const step = { does: 'put_file', path: pathOfText('b'), now, from: now, mode: 0o644, number: 7 } as const;
    expect(place(doing, step, folder, FRESH)).toBe(false);
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('host');
    expect(readFileSync(join(root, `.sub-${TOKEN}-7-kept/n`), 'utf8')).toBe('mine');
    expect(doing.outcome.conflicts).toMatchObject([{ why: 'holds_others', aside: `.sub-${TOKEN}-7-kept` }]);
  });

  it('is nobody: then the one gives way to the other, and nothing is left of it', () => {
    const { root, folder, doing } = setUp();
    writeFileSync(join(root, 'a'), 'mine');
    mkdirSync(join(root, 'fresh'));
    const now = stateOf(folder, pathOfText('a'));
    const step = { does: 'make_folder', path: pathOfText('a'), now, mode: 0o755, number: 7 } as const;
    expect(place(doing, step, folder, FRESH)).toBe(true);
    expect([readdirSync(root), lstatSync(join(root, 'a')).isDirectory()]).toEqual([['a'], true]);
  });
});

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { assertWhole, homePaths, type HomePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FILE_HANDS, type FileHands } from './file-hands.js';
import { nextRecordFolder } from './record-folder.js';
import { partingOf, removeHome } from './remove.js';
import { setRecordAside } from './set-aside.js';

const NOW = Date.UTC(2026, 0, 2);
const SPOOL = 'run/away/run-0001/spool.1-2';
const OF_LEDGER = ['ledger.db', 'ledger.db-wal', 'index.db', 'segments/1-1-9.db', 'keys/seal', SPOOL];
const WRITTEN = ['config.toml', 'policy.yaml', 'state-home'];
const OTHERS = ['gateway.db', 'keys/log', 'keys/operator', 'logs/gateway.log', 'run/tickets/1-2'];
const RECORD = 'subluminal-record-2026-01-02';

let root: string;
let home: HomePaths;
let headsLog: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'moves-'));
  home = homePaths(join(root, 'home'));
  headsLog = join(root, 'memory', 'heads.log');
  for (const name of [...OF_LEDGER, ...WRITTEN, ...OTHERS]) write(join(home.home, name), `of ${name}`);
  write(headsLog, 'of heads.log');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}

/** Every file below a folder, with its text. */
function files(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found.map((one) => join(one.parentPath, one.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

const textsOf = (names: readonly string[]): string[] => names.map((name) => `of ${name}`);

class Killed extends Error {}

/** Dies at a step; a text is half written then. */
function dyingAt(step: number): FileHands {
  let done = 0;
  const counted =
    <T extends string[]>(act: (...args: T) => void, half?: (...args: T) => void) =>
    (...args: T): void => {
      done += 1;
      if (done <= step) return act(...args);
      half?.(...args);
      throw new Killed();
    };
  return {
    link: counted(FILE_HANDS.link),
    makeFolder: counted(FILE_HANDS.makeFolder),
    makeNewFolder: counted(FILE_HANDS.makeNewFolder),
    rename: counted(FILE_HANDS.rename),
    remove: counted(FILE_HANDS.remove),
    removeFolder: counted(FILE_HANDS.removeFolder),
    removeAll: counted(FILE_HANDS.removeAll),
    write: counted(FILE_HANDS.write, (path, text) => FILE_HANDS.write(path, text.slice(0, 3))),
  };
}

const setAside = (hands: FileHands): string =>
  setRecordAside(home, existsSync(home.config) ? headsLog : undefined, NOW, hands);
const uninstall = (hands: FileHands): string | undefined =>
  removeHome(home, partingOf(home, false), NOW, hands);

describe('setting a record aside', () => {
  it('takes what shims did without a gateway along, and knows where the memory stands', () => {
    const folder = setAside(FILE_HANDS);
    expect(folder).toBe(join(root, RECORD));
    const kept = `${headsLog}.${RECORD}`;
    expect(files(folder)).toEqual({
      ...Object.fromEntries(
        [...OF_LEDGER, 'gateway.db', 'keys/log', 'keys/operator'].map((name) => [name, `of ${name}`]),
      ),
      'state-home': 'of state-home',
      'config.toml': `heads_log = ${JSON.stringify(kept)}\n`,
    });
    expect(readFileSync(kept, 'utf8')).toBe('of heads.log');
    expect(existsSync(headsLog)).toBe(false);
    expect(Object.keys(files(home.home))).toEqual(
      [...WRITTEN, 'logs/gateway.log', 'run/tickets/1-2'].toSorted(),
    );
  });

  it('leaves no empty folder of spools in the record', () => {
    rmSync(join(home.home, SPOOL));
    expect(existsSync(join(setAside(FILE_HANDS), 'run'))).toBe(false);
  });
});

describe('removing a home', () => {
  it('keeps what shims did without a gateway with the record', () => {
    const parting = partingOf(home, false);
    expect(parting.kept).toContain(home.awayDir);
    const folder = removeHome(home, parting, NOW);
    expect(files(folder ?? '')).toEqual(
      Object.fromEntries([...OF_LEDGER, ...WRITTEN].map((name) => [name, `of ${name}`])),
    );
    expect(existsSync(home.home)).toBe(false);
  });

  it('takes a spool along that a shim begins meanwhile', () => {
    const late = join(home.awayDir, 'run-0002', 'late.1-2');
    const folder = uninstall({
      ...FILE_HANDS,
      removeAll: (path) => {
        FILE_HANDS.removeAll(path);
        if (path.startsWith(home.ticketsDir)) write(late, 'late');
      },
    });
    expect(files(folder ?? '')).toMatchObject({
      'run/away/run-0002/late.1-2': 'late',
      [SPOOL]: `of ${SPOOL}`,
    });
    expect(existsSync(home.home)).toBe(false);
  });

  it('removes all of it where the ledger is not wanted', () => {
    const folder = removeHome(home, partingOf(home, true), NOW);
    expect(Object.keys(files(folder ?? ''))).toEqual(WRITTEN);
  });
});

describe('a kill at any step', () => {
  const works = { 'sub up --new-ledger': setAside, 'sub uninstall': uninstall };
  const names = Object.keys(works) as (keyof typeof works)[];
  const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));

  it.each(pairs)(
    'loses nothing of `%s`, no gateway starts over half of it, and `%s` goes on',
    (first, second) => {
      const treasures = textsOf([...OF_LEDGER, ...WRITTEN, 'heads.log']);
      let steps = 0;
      for (; ; steps += 1) {
        try {
          works[first](dyingAt(steps));
          break;
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
        expect(Object.values(files(root))).toEqual(expect.arrayContaining(treasures));
        const isWhole = OF_LEDGER.every((name) => existsSync(join(home.home, name)));
        if (!isWhole && existsSync(home.home) && Object.keys(files(home.home)).length > 0)
          expect(() => assertWhole(home)).toThrow(expect.objectContaining({ code: 'ledger_incomplete' }));
        const isOver = !existsSync(home.home) || (!isWhole && !existsSync(home.asideMark));
        const folder = isOver ? join(root, RECORD) : works[second](FILE_HANDS);
        const record = files(folder ?? '');
        for (const name of OF_LEDGER)
          expect([steps, name, record[name]]).toEqual([steps, name, `of ${name}`]);
        expect(Object.values(files(root))).toEqual(expect.arrayContaining(treasures));
        expect(existsSync(home.asideMark)).toBe(false);
        if (first === 'sub up --new-ledger' && second === first)
          expect(Object.keys(files(home.home))).toEqual(expect.arrayContaining(WRITTEN));
        if (second === 'sub uninstall' && !isOver) expect(existsSync(home.home)).toBe(false);
        rmSync(root, { recursive: true });
        for (const name of [...OF_LEDGER, ...WRITTEN, ...OTHERS]) write(join(home.home, name), `of ${name}`);
        write(headsLog, 'of heads.log');
      }
      expect(steps).toBeGreaterThan(12);
    },
  );
});

describe('a home that nothing can be moved out of', () => {
  const walled: FileHands = {
    ...FILE_HANDS,
    rename: (from, to) => {
      if (!to.startsWith(home.home))
        throw Object.assign(new Error('x'), { code: 'EXDEV', syscall: 'rename' });
      FILE_HANDS.rename(from, to);
    },
  };

  it.each([
    ['set aside', setAside],
    ['removed', uninstall],
  ])('keeps its record in itself when it is %s', (_what, work) => {
    const folder = work(walled);
    expect(folder).toBe(join(home.home, RECORD));
    const record = files(folder ?? '');
    for (const name of OF_LEDGER) expect(record[name]).toBe(`of ${name}`);
    expect(existsSync(home.asideMark)).toBe(false);
    expect(partingOf(home, false)).toMatchObject({ strange: [] });
  });

  it('says what cannot be moved, and goes on once it can', () => {
    const stuck: FileHands = {
      ...FILE_HANDS,
      rename: (from, to) => {
        if (from === join(home.home, 'segments'))
          throw Object.assign(new Error('x'), { code: 'EBUSY', syscall: 'rename' });
        FILE_HANDS.rename(from, to);
      },
    };
    expect(() => uninstall(stuck)).toThrow(
      expect.objectContaining({
        code: 'failed',
        message: expect.stringMatching(/`.*segments` cannot be moved to `.*`: it is in use/),
      }),
    );
    expect(() => assertWhole(home)).toThrow(expect.objectContaining({ code: 'ledger_incomplete' }));
    expect(files(uninstall(FILE_HANDS) ?? '')).toMatchObject({ 'segments/1-1-9.db': 'of segments/1-1-9.db' });
  });
});

it('the folder that is named before a home is removed is the one that its record moves to', () => {
  mkdirSync(join(root, RECORD));
  const named = nextRecordFolder(home, NOW, FILE_HANDS);
  expect(removeHome(home, partingOf(home, false), NOW)).toBe(named);
  expect(named).toBe(join(root, `${RECORD}-2`));
});

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered } from '../../testing/altered.js';
import { fillRun, SIGNING_KEY } from '../../testing/scratch.js';
import type { HeadsLine, HeadsLog } from '../head/heads-log.js';
import { backupLedger, planRestore, restoreLedger, verifyLedger, type VerifyOptions } from '../index.js';
import { memoryOf, type ReadMemory } from './memory.js';

/** Files of the entries 1 to 13 and 14 to 25. */
let ledger: Altered;
let fingerprint: string;
let size: number;
beforeAll(async () => {
  ledger = await Altered.write(
    (open) => fillRun(open, 'run-a', 3),
    (open) => fillRun(open, 'run-b', 3),
  );
  const report = await ledger.scratch.verify();
  fingerprint = report.genesisFingerprint ?? '';
  size = report.entries;
});
afterAll(() => ledger.remove());

const CLOSED = 13;

const line = (at: number, root = ledger.tree(at).root(), restored = ''): string =>
  `${restored}${at} ${Buffer.from(root, 'hex').toString('base64')} 1\n`;
const restored = (at: number): string => line(at, ledger.tree(at).root(), 'restored ');
const NOWHERE = '00'.repeat(32);

/** What is said with these lines for a memory: the finding or the verdict, and the reasons. */
async function said(lines: string, options: VerifyOptions = {}, isWhole = true): Promise<string> {
  const copy = ledger.copy();
  writeFileSync(copy.headsLog, lines);
  if (!isWhole) rmSync(join(copy.folder, 'segments'), { recursive: true });
  const { verdict, finding, reasons } = await ledger.verify(copy, options);
  copy.remove();
  if (finding !== null) return `${finding.class} at ${finding.seq}: ${finding.detail}`;
  return [verdict, ...reasons].join(': ');
}

const UNDECLARED = (at: number): string =>
  `heads_log at ${at + 1}: the heads log says that the ledger was restored to ${at} entries, and no entry says so`;

describe('a heads log', () => {
  it.each<readonly [string, () => string, string]>([
    ['knows the newest entry', () => line(25), 'ok'],
    ['knows some on the way', () => line(1) + line(13) + line(14) + line(25), 'ok'],
    ['knows one size twice', () => line(5) + line(5) + line(25), 'ok'],
    ['remembers no entry', () => '', 'unproven: the heads log remembers no entry'],
    ['has lost its newest lines', () => line(5), 'unproven: the heads log has lost its lines after entry 5'],
    ['is no list of sizes', () => 'garbage\n', 'heads_log at 0: the heads log is damaged'],
    [
      'names another root',
      () => line(5, NOWHERE) + line(25),
      'heads_log at 5: the heads log names another root at this size (`1-1-13.db`)',
    ],
    [
      'names another root at the end of a file',
      () => line(CLOSED, NOWHERE),
      `heads_log at ${CLOSED}: the heads log names another root at this size (\`1-1-13.db\`)`,
    ],
    [
      'names another root the second time',
      () => line(5) + line(5, NOWHERE) + line(25),
      'heads_log at 5: the heads log names another root at this size (`1-1-13.db`)',
    ],
    [
      'knows more entries',
      () => line(25) + line(40, NOWHERE),
      'heads_log at 26: it is not there, the heads log knows 40',
    ],
    ['knows of a restore that is nowhere else', () => restored(5) + line(25), UNDECLARED(5)],
    ['knows of a restore to the newest entry', () => restored(25), UNDECLARED(25)],
  ])('that %s is taken for what it is', async (_, lines, expected) => {
    expect(await said(`${fingerprint}\n${lines()}`)).toBe(expected);
  });

  it('that is of another ledger contradicts this one', async () => {
    expect(await said(`${'ab'.repeat(32)}\n${line(25)}`)).toBe(
      'genesis at 0: the heads log belongs to another genesis',
    );
  });

  it('that is not there, or was not given, proves nothing', async () => {
    const { path } = ledger.scratch;
    const none = await ledger.verify({ path, headsLog: `${path}.none` });
    expect(none).toMatchObject({ verdict: 'unproven', reasons: ['there is no heads log'] });
    expect(await verifyLedger(path)).toMatchObject({
      verdict: 'unproven',
      reasons: ['no heads log was given'],
    });
  });

  it('is joined by the fingerprint that the caller knows', async () => {
    const lines = `${fingerprint}\n${line(25)}`;
    expect(await said(lines, { pin: fingerprint })).toBe('ok');
    expect(await said(lines, { pin: 'ab'.repeat(32) })).toBe(
      'genesis at 0: the genesis record is not the pinned one',
    );
  });
});

describe('the heads log, held against a backup', () => {
  it.each<readonly [string, () => string, string]>([
    ['may know more', () => line(25) + line(40, NOWHERE), 'ok'],
    ['may know of a restore to just the backup', () => restored(25) + line(30, NOWHERE), 'ok'],
    [
      'has to agree with the size of the backup',
      () => line(25, NOWHERE),
      'heads_log at 25: the heads log names another root at this size',
    ],
    ['may not know of another restore', () => restored(5) + line(25), UNDECLARED(5)],
  ])('%s', async (_, lines, expected) => {
    expect(await said(`${fingerprint}\n${lines()}`, { backup: true })).toBe(expected);
  });
});

describe('the heads log, held against a ledger without its older files', () => {
  it.each<readonly [string, () => string, string | RegExp]>([
    ['may know of a restore there', () => restored(5) + line(25), /^unproven/],
    ['may not know of a restore to where it begins', () => restored(CLOSED) + line(25), UNDECLARED(CLOSED)],
    ['may not know of a restore behind that', () => restored(20) + line(25), UNDECLARED(20)],
    [
      'has to agree with where it begins',
      () => line(CLOSED, NOWHERE) + line(25),
      `heads_log at ${CLOSED}: the heads log names another root at this size`,
    ],
    ['may know what it likes of what is not there', () => line(5, NOWHERE) + line(25), /^unproven/],
  ])('%s', async (_, lines, expected) => {
    expect(await said(`${fingerprint}\n${lines()}`, {}, false)).toMatch(expected);
  });
});

describe('a restore', () => {
  it('is believed where the ledger and the heads log both tell of it', async () => {
    const copy = ledger.copy();
    const backup = join(copy.folder, 'backup');
    await backupLedger({ ledger: copy.path, target: backup, nowMs: 1, version: '0.1.0' });
    const { path, headsLog, sealKey: sealKeyPath } = copy;
    const plan = await planRestore({ backup, ledger: path, headsLog, fingerprint });
    restoreLedger({
      plan,
      backup,
      ledger: path,
      segments: join(copy.folder, 'segments'),
      sealKeyPath,
      headsLog,
      privateKey: SIGNING_KEY,
      aside: join(copy.folder, 'aside'),
      reason: 'a test',
      nowMs: 2,
    });
    const again = await copy.open();
    await fillRun(again, 'after', 1);
    await again.close();
    expect((await ledger.verify(copy)).verdict).toBe('ok');
    const told = readFileSync(headsLog, 'utf8');
    const without = told.replace(/^restored .*\n/m, '');
    writeFileSync(headsLog, without);
    expect((await ledger.verify(copy)).finding).toEqual({
      seq: size + 1,
      class: 'heads_log',
      detail: `it says that the ledger was restored to ${size} entries, and no line of the heads log says so`,
    });
  });
});

describe('a heads log that is read on both sides of a snapshot', () => {
  const at = (entries: number, ts = 1): HeadsLine => ({ size: entries, root: 'ab', ts, restored: false });
  const log = (...lines: readonly HeadsLine[]): HeadsLog => ({
    fingerprint: 'f',
    lines,
    known: lines.at(-1),
    completeBytes: 1,
  });
  const sizes = (memory: ReadMemory): unknown =>
    typeof memory === 'string' ? memory : memory.lines.map(({ size: entries }) => entries);

  it.each<readonly [string, ReadMemory, ReadMemory, unknown]>([
    ['has no line more', log(at(5)), log(at(5)), [5]],
    ['has lines more of what the snapshot holds', log(at(5)), log(at(5), at(7), at(10)), [5, 7, 10]],
    ['has lines more of what came after it', log(at(5)), log(at(5), at(10), at(11)), [5, 10]],
    ['was not there before', 'missing', log(at(3), at(11)), [3]],
    ['is not there any more', log(at(5)), 'missing', [5]],
    ['was broken before', 'broken', log(at(5)), 'broken'],
    ['is broken since', log(at(5)), 'broken', [5]],
    ['knew more than the snapshot holds', log(at(12)), log(at(12), at(13)), [12]],
    ['has lost a line', log(at(5), at(6)), log(at(5)), [5, 6]],
    ['has another line in its place', log(at(5)), log(at(5, 2), at(7)), [5]],
    ['is another log', log(at(5)), { ...log(at(5), at(7)), fingerprint: 'g' }, [5]],
    ['has a restore in its place', log(at(5)), log({ ...at(5), restored: true }, at(7)), [5]],
    ['has another root in its place', log(at(5)), log({ ...at(5), root: 'cd' }, at(7)), [5]],
    ['was not given', 'none given', 'none given', 'none given'],
  ])('counts as far as it was added to, where it %s', (_, before, after, expected) => {
    expect(sizes(memoryOf(before, after, 10))).toEqual(expected);
  });
});

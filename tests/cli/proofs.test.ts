import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

const VERIFIER = fileURLToPath(new URL('../../verifier/verify.mjs', import.meta.url));

let home: TestHome;
let early: string;
let older: string;
let vkey: string;

const audit = (...args: string[]) => runSub(['audit', ...args, '--home', home.home]);

function offline(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VERIFIER, ...args, '--log', vkey], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

async function run(): Promise<void> {
  const argv = ['run', '--home', home.home, '--', process.execPath, '-e', ''];
  expect(await runSub(argv)).toMatchObject({ code: 0 });
}

/** A home with a running gateway; a checkpoint from its youth, and a copy of the ledger from then. */
beforeAll(async () => {
  home = createHome();
  await run();
  older = join(home.root, 'older.checkpoint');
  const { code, stdout } = await audit('checkpoint', '--out', older, '--json');
  expect(code).toBe(0);
  vkey = (JSON.parse(stdout) as { vkey: string }).vkey;
  expect((await runSub(['down', '--home', home.home])).code).toBe(0);
  early = join(home.root, 'early.db');
  copyFileSync(home.ledger, early);
  await run();
});
afterAll(() => home.remove());

async function newestEntry(): Promise<number> {
  const { stdout } = await runSub(['status', '--json', '--home', home.home]);
  return (JSON.parse(stdout) as { ledger: { seq: number } }).ledger.seq;
}

describe('sub audit checkpoint', () => {
  it('prints the head that the gateway signs over everything, as a note that verifies offline', async () => {
    const recorded = await newestEntry();
    const { code, stdout, stderr } = await audit('checkpoint');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^subluminal\/[^\n]+\n[0-9]+\n[A-Za-z0-9+/]{43}=\n\n(?:— subluminal\/\S+ \S+\n)+$/,
    );
    expect(stderr).toContain(vkey);
    const file = join(home.root, 'printed.checkpoint');
    writeFileSync(file, stdout);
    expect(offline('checkpoint', file)).toMatchObject({ code: 0 });
    expect(Number(stdout.split('\n')[1])).toBeGreaterThanOrEqual(recorded);
  });

  it('prints the stored head of a copy', async () => {
    const { code, stdout } = await audit('checkpoint', '--ledger', early, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      fresh: false,
      vkey,
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe('sub audit prove', () => {
  it('proves the newest entry to the offline verifier while the gateway runs', async () => {
    const { ledger } = JSON.parse((await runSub(['status', '--json', '--home', home.home])).stdout) as {
      ledger: { seq: number; leaf: string };
    };
    const file = join(home.root, 'entry.tlog-proof');
    const proved = await audit('prove', `${ledger.seq}.${ledger.leaf}`, '--out', file);
    expect(proved).toMatchObject({ code: 0, stdout: '' });
    const { code, stdout } = offline('proof', file, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ seq: ledger.seq, leaf: ledger.leaf });
  });

  it('proves that the ledger continues an older checkpoint', async () => {
    const file = join(home.root, 'growth');
    expect(await audit('prove', '--since', older, '--out', file)).toMatchObject({ code: 0 });
    expect(offline('consistency', older, file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/^old [0-9]+\n/);
  });

  it('exits 4 for a ledger that was put back behind a checkpoint that it signed', async () => {
    const { stdout: newer } = await audit('checkpoint');
    const file = join(home.root, 'newer.checkpoint');
    writeFileSync(file, newer);
    const { code, stderr } = await audit('prove', '--since', file, '--ledger', early);
    expect([code, stderr]).toEqual([4, expect.stringContaining('ledger_corrupt')]);
  });

  it('exits 4 for an audit reference that the ledger contradicts', async () => {
    expect(await audit('prove', `1.${'a'.repeat(64)}`)).toMatchObject({ code: 4 });
  });

  it('exits 2 for a checkpoint that is none of this ledger, and for a question that is none', async () => {
    const strange = join(home.root, 'strange.checkpoint');
    writeFileSync(strange, readFileSync(older, 'utf8').replaceAll('subluminal/', 'subluminous/'));
    expect(await audit('prove', '--since', strange)).toMatchObject({ code: 2 });
    expect(await audit('prove')).toMatchObject({ code: 2 });
    expect(await audit('prove', '1', '--since', older)).toMatchObject({ code: 2 });
    expect(await audit('prove', 'x')).toMatchObject({ code: 2 });
  });

  it('exits 1 for an entry that is not there', async () => {
    expect(await audit('prove', '999999')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/`999999`\nhelp: the newest that is signed is `\d+`/),
    });
  });

  it('exits 1 for a file that cannot be written, and says why in words', async () => {
    const out = join(home.root, 'absent', 'file');
    const { code, stderr } = await audit('prove', '1', '--out', out);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error[failed]: \`${out}\` cannot be written: no such file or folder\nhelp: name a file in a folder that you can write\n`,
    );
  });
});

describe('--out', () => {
  it.each([
    ['checkpoint', []],
    ['prove', ['1']],
  ])('of %s replaces no file that somebody kept, unless it is told to', async (verb, args) => {
    const kept = join(home.root, `kept.${verb}`);
    writeFileSync(kept, 'kept');
    const { code, stderr } = await audit(verb, ...args, '--out', kept);
    expect([code, stderr]).toEqual([
      2,
      `error[usage]: \`${kept}\` exists\nhelp: name a file that does not exist yet, or replace this one with \`--force\`\n`,
    ]);
    expect(readFileSync(kept, 'utf8')).toBe('kept');
    expect(await audit(verb, ...args, '--out', kept, '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(kept, 'utf8')).toContain('subluminal/');
    expect(await audit(verb, ...args, '--out', '/dev/null')).toMatchObject({ code: 0 });
  });
});

describe('sub audit verify', () => {
  it('holds receipts and checkpoints against the ledger', async () => {
    const { ledger } = JSON.parse((await runSub(['status', '--json', '--home', home.home])).stdout) as {
      ledger: { seq: number; leaf: string };
    };
    const receipts = join(home.root, 'receipts');
    writeFileSync(receipts, `${ledger.seq}.${ledger.leaf}\n\n`);
    const { code, stdout } = await audit('verify', '--receipts', receipts, '--checkpoint', older, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      receipts: 1,
      anchors: { checkpoints: 1, known: 0 },
      finding: null,
    });
    const behind = await audit('verify', early, '--receipts', receipts, '--json');
    expect(behind.code).toBe(4);
    expect(JSON.parse(behind.stdout)).toMatchObject({ finding: { class: 'receipt', seq: ledger.seq } });
  });

  it('exits 4 for a receipt with another leaf', async () => {
    const receipts = join(home.root, 'forged-receipts');
    writeFileSync(receipts, `2.${'b'.repeat(64)}`);
    const { code, stdout } = await audit('verify', '--receipts', receipts);
    expect([code, stdout]).toEqual([4, expect.stringContaining('first bad entry 2, class receipt')]);
  });

  it('exits 4 for a copy that is older than a checkpoint, or another ledger’s', async () => {
    const newer = join(home.root, 'newest.checkpoint');
    expect(await audit('checkpoint', '--out', newer)).toMatchObject({ code: 0 });
    const behind = await audit('verify', early, '--checkpoint', older, '--checkpoint', newer);
    expect([behind.code, behind.stdout]).toEqual([4, expect.stringContaining('class anchor')]);
    const strange = join(home.root, 'other.checkpoint');
    writeFileSync(strange, readFileSync(newer, 'utf8').replaceAll('subluminal/', 'subluminous/'));
    expect(await audit('verify', '--checkpoint', strange)).toMatchObject({ code: 4 });
    writeFileSync(strange, readFileSync(newer, 'utf8').replace(/^[0-9]+$/m, '1'));
    expect(await audit('verify', '--checkpoint', strange)).toMatchObject({ code: 4 });
  });

  it('exits 2 for a file that cannot be read or holds no receipts', async () => {
    expect(await audit('verify', '--receipts', join(home.root, 'absent'))).toMatchObject({ code: 2 });
    expect(await audit('verify', '--receipts', older)).toMatchObject({ code: 2 });
  });
});

describe('a file that is named and not there', () => {
  it.each([
    [
      'checkpoint',
      '--ledger',
      1,
      /^error\[ledger_missing\]: `--ledger`: there is no ledger at `(.*)`\nhelp: name /,
    ],
    [
      'prove',
      '--since',
      2,
      /^error\[usage\]: `--since`: `(.*)` cannot be read: no such file or folder\nhelp: name /,
    ],
    ['verify', '--receipts', 2, /^error\[usage\]: `--receipts`: `(.*)` cannot be read: .*\nhelp: name /],
    ['verify', '--checkpoint', 2, /^error\[usage\]: `--checkpoint`: `(.*)` cannot be read: .*\nhelp: name /],
  ])('is told of with its option by `sub audit %s %s`', async (verb, option, exit, says) => {
    const path = join(home.root, 'absent');
    const { code, stderr } = await audit(verb, option, path);
    expect(stderr).toMatch(says);
    expect([code, says.exec(stderr)?.[1]]).toEqual([exit, path]);
  });
});

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

let home: TestHome;
let runId: string;
let bundle: string;
let pin: string;
/** Another machine: its folder knows neither the home nor the ledger. */
let elsewhere: string;

beforeAll(async () => {
  home = createHome();
  elsewhere = mkdtempSync(join(tmpdir(), 'sub-elsewhere-'));
  const done = await runSub(['run', '--home', home.home, '--', process.execPath, '-e', '']);
  expect(done.code).toBe(0);
  const { stdout } = await runSub(['runs', '--json', '--home', home.home]);
  runId = (JSON.parse(stdout) as { run_id: string }).run_id;
  bundle = join(elsewhere, 'bundle');
});
afterAll(async () => {
  await home.remove();
  rmSync(elsewhere, { recursive: true, force: true });
});

const exporting = (...args: string[]) => runSub(['export', 'run', runId, '--home', home.home, ...args]);
const verify = (...args: string[]) =>
  runSub(['audit', 'verify', ...args], {
    cwd: elsewhere,
    env: { PATH: process.env['PATH'] ?? '', HOME: elsewhere },
  });

describe('sub export run', () => {
  it('writes a bundle that another machine verifies by the pin alone', async () => {
    const { code, stdout } = await exporting('--out', bundle, '--json');
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as { genesis: string };
    pin = told.genesis;
    expect(told).toMatchObject({ bundle, run_id: runId, ended: true, entries: 2, events: 2, previews: 0 });
    expect(await verify(bundle, '--pin', pin)).toMatchObject({ code: 0, stderr: '' });
    const report = await verify(bundle, '--pin', pin, '--json');
    expect(JSON.parse(report.stdout)).toMatchObject({ verdict: 'ok', run_id: runId, policies: 1 });
  });

  it('is never more than consistent without the pin', async () => {
    expect(await verify(bundle)).toMatchObject({ code: 6 });
  });

  it('is contradicted by another pin, and by a word that changed', async () => {
    expect(await verify(bundle, '--pin', 'a'.repeat(64))).toMatchObject({ code: 4 });
    const forged = join(elsewhere, 'forged');
    cpSync(bundle, forged, { recursive: true });
    const events = readFileSync(join(forged, 'events.jsonl'), 'utf8');
    writeFileSync(join(forged, 'events.jsonl'), events.replace('SUCCEEDED', 'SUCCEDED_'));
    expect(await verify(forged, '--pin', pin)).toMatchObject({ code: 4 });
  });

  it('replaces nothing without being asked to, and nothing but a bundle', async () => {
    expect(await exporting('--out', bundle)).toMatchObject({ code: 2 });
    expect(await exporting('--out', bundle, '--force')).toMatchObject({ code: 0 });
    const photos = join(elsewhere, 'photos');
    mkdirSync(photos);
    expect(await exporting('--out', photos, '--force')).toMatchObject({ code: 2 });
  });

  it('says of a run that it does not know that it is not there', async () => {
    const { code, stderr } = await runSub(['export', 'run', 'nonsense', '--home', home.home], {
      cwd: elsewhere,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no run `nonsense`')]);
  });

  it('takes no heads.log for a bundle', async () => {
    expect(await verify(bundle, '--heads', 'heads.log')).toMatchObject({ code: 2 });
  });
});

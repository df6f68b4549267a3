import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

let home: TestHome;
let copy: string;

/** A home whose gateway has stopped after three runs, and a copy of its ledger. */
beforeAll(async () => {
  home = createHome();
  for (const agent of ['first', 'marked', 'last']) {
    const run = ['run', '--home', home.home, '--agent', agent, '--', process.execPath, '-e', ''];
    expect(await runSub(run)).toMatchObject({ code: 0 });
  }
  expect(await runSub(['down', '--home', home.home])).toMatchObject({ code: 0 });
  copy = join(home.root, 'copy.db');
  copyFileSync(home.ledger, copy);
});
afterAll(() => home.remove());

const verify = (...args: string[]) => runSub(['audit', 'verify', ...args, '--home', home.home]);

/**
 * The last letter of `text` made a capital, wherever the file holds it: unused space keeps older copies of a
 * page.
 */
function withOneByteChanged(bytes: Buffer, text: string): Buffer {
  expect(bytes.includes(text)).toBe(true);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    bytes.write('D', at + text.length - 2);
  }
  return bytes;
}

describe('sub audit verify', () => {
  it('exits 0 for the home’s own ledger, and says what it checked', async () => {
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok: /);
    expect(stdout).toMatch(/entries\s+\d+ checked in 3 runs/);
    expect(stdout).toMatch(/memory\s+\d+ entries, \S+/);
  });

  it('tells programs the same under stable names', async () => {
    const { code, stdout } = await verify('--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'ok',
      exit: 0,
      ledger: home.ledger,
      heads_log: home.headsLog,
      runs: 3,
      finding: null,
      reasons: [],
      genesis: expect.stringMatching(/^[0-9a-f]{64}$/),
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
      memory: { size: expect.any(Number), ts: expect.any(Number), age_ms: expect.any(Number) },
    });
  });

  it('exits 6 for a bare copy, and says why', async () => {
    const { code, stdout } = await verify(copy);
    expect(code).toBe(6);
    expect(stdout).toContain('consistent, but unproven');
    expect(stdout).toContain('because: ');
    expect(stdout).toContain('help: ');
  });

  it('exits 6 for a copy that only its own heads.log vouches for', async () => {
    const { code, stdout } = await verify(copy, '--heads', home.headsLog);
    expect(code).toBe(6);
    expect(stdout).toMatch(/^help: name the genesis fingerprint that you keep of it with `--pin`/m);
  });

  it('exits 0 for a copy with a pin and its heads.log', async () => {
    const { genesis } = JSON.parse((await verify('--json')).stdout) as { genesis: string };
    expect((await verify(copy, '--pin', genesis, '--heads', home.headsLog)).code).toBe(0);
  });

  it('exits 4 for another pin', async () => {
    const { code, stdout } = await verify(copy, '--pin', 'a'.repeat(64));
    expect(code).toBe(4);
    expect(stdout).toContain('class genesis');
  });

  it('exits 4 for one changed byte, and names the entry and its class', async () => {
    const changed = join(home.root, 'changed.db');
    writeFileSync(changed, withOneByteChanged(readFileSync(copy), '"agent_id":"marked"'));

    const { code, stdout } = await verify(changed, '--json');
    expect(code).toBe(4);
    const { finding } = JSON.parse(stdout) as { finding: { seq: number; class: string } };
    const shown = await runSub(['show', String(finding.seq), '--home', home.home, '--json']);
    expect(finding.class).toBe('hash');
    expect(JSON.parse(shown.stdout)).toMatchObject({ entries: [{ type: 'run_start', seq: finding.seq }] });
    expect((await verify(changed)).stdout).toMatch(
      new RegExp(`^tampered: first bad entry ${finding.seq}, class hash: `),
    );
  });

  it('exits 4 for the home’s ledger put back to an older copy', async () => {
    const older = createHome();
    try {
      const run = () => runSub(['run', '--home', older.home, '--', process.execPath, '-e', '']);
      await run();
      await runSub(['down', '--home', older.home]);
      const kept = readFileSync(older.ledger);
      await run();
      await runSub(['down', '--home', older.home]);
      writeFileSync(older.ledger, kept);
      const { code, stdout } = await runSub(['audit', 'verify', '--home', older.home]);
      expect(code).toBe(4);
      expect(stdout).toContain('class heads_log');
    } finally {
      await older.remove();
    }
  });

  it('exits 6 when the outside memory is missing', async () => {
    const forgetful = createHome();
    try {
      await runSub(['run', '--home', forgetful.home, '--', process.execPath, '-e', '']);
      await runSub(['down', '--home', forgetful.home]);
      rmSync(forgetful.headsLog);
      const { code, stdout } = await runSub(['audit', 'verify', '--home', forgetful.home]);
      expect(code).toBe(6);
      expect(stdout).toContain(forgetful.headsLog);
    } finally {
      await forgetful.remove();
    }
  });

  it('exits 1 when there is nothing to check', async () => {
    const { code, stdout } = await verify(join(home.root, 'missing.db'), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'unchecked', finding: null });
  });

  it('exits 2 for a folder in place of heads.log: that is no contradiction', async () => {
    const { code, stderr } = await verify('--heads', home.root);
    expect(code).toBe(2);
    expect(stderr).toContain(`\`${home.root}\` is a folder`);
  });

  it('exits 5 where there is no home', async () => {
    const absent = join(home.root, 'absent');
    const { code, stderr } = await runSub(['audit', 'verify', '--home', absent]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error\[home_missing\]: .*`\nhelp: /);
  });

  it.each(['a text', 'a folder'])('exits 1 for %s: that is not a ledger', async (what) => {
    const path = join(home.root, what);
    if (what === 'a text') writeFileSync(path, 'not a database\n'.repeat(600));
    else mkdirSync(path);
    const { code, stdout } = await verify(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^not checked: /);
    expect(stdout).toContain(`because: \`${path}\` is not a ledger`);
  });

  it('exits 0 right after the first start of a gateway', async () => {
    const young = createHome();
    try {
      await runSub(['up', '--home', young.home]);
      const running = await runSub(['audit', 'verify', '--home', young.home]);
      expect(running.stdout).toMatch(/^ok: /);
      expect(running.code).toBe(0);
    } finally {
      await young.remove();
    }
  });

  it('refuses a pin that is none', async () => {
    const { code, stderr } = await verify('--pin', 'abc');
    expect(code).toBe(2);
    expect(stderr).toContain('error[usage]: `abc` is not a genesis fingerprint');
  });
});

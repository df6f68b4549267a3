import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import type { Finished } from '../harness/sub.js';

let at: TestHome;
beforeAll(async () => {
  at = createHome({ config: '\n# connections\n[egress] # mine\nidle_ms = 1000 # short\n' });
  await sub('up');
});
afterAll(() => at.remove());

function sub(...args: readonly string[]): Promise<Finished> {
  return runSub([...args, '--home', at.home]);
}

const config = (): string => readFileSync(join(at.home, 'config.toml'), 'utf8');

describe('sub egress', () => {
  it('says the mode and the port, changes it at once, keeps comments, and is recorded', async () => {
    expect((await sub('egress')).stdout).toMatch(/^observe: .*\nthe proxy listens on 127\.0\.0\.1:[0-9]+\n$/);
    const changed = await sub('egress', 'enforce');
    expect(changed.stdout).toMatch(/^enforce: only places[^]*in force now, without a restart\n$/);
    expect(config()).toMatch(/# connections\n\[egress\] # mine\nidle_ms = 1000 # short\nmode = "enforce"\n/);
    expect(JSON.parse((await sub('egress', '--json')).stdout)).toEqual({
      mode: 'enforce',
      port: expect.any(Number),
      running: true,
      written: 'enforce',
    });
    expect((await sub('egress', 'enforce')).stdout).toMatch(/^enforce already/);
    const { stdout } = await sub('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      proxy: { mode: 'enforce' },
      config: { waiting: [], error: null },
    });
  });

  it('restarts the gateway where the proxy opens or closes, and says so', async () => {
    expect(JSON.parse((await sub('egress', 'off', '--json')).stdout)).toEqual({
      mode: 'off',
      changed: true,
      restarted: true,
      in_force: 'now',
    });
    expect((await sub('egress')).stdout).toMatch(/^off: there is no proxy/);
    expect((await sub('egress', 'observe')).stdout).toMatch(/the gateway was restarted/);
  });

  it('refuses another word', async () => {
    const { code, stderr } = await sub('egress', 'strict');
    expect([code, stderr]).toEqual([2, expect.stringContaining('`observe`, `enforce`, `off`')]);
  });
});

describe('sub config', () => {
  it('lists every setting with where it is from, and prints one alone', async () => {
    const { stdout } = await sub('config', 'get', '--json');
    const all = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; value: unknown; from: string });
    expect(all).toContainEqual({ key: 'egress.idle_ms', value: 1000, from: 'file' });
    expect(all).toContainEqual({ key: 'runs.require_ticket', value: false, from: 'default' });
    expect(all).toContainEqual({ key: 'egress.proxy_port', value: null, from: 'none' });
    expect((await sub('config', 'get', 'egress.idle_ms')).stdout).toBe('1000\n');
    expect(await sub('config', 'get', 'http.port')).toMatchObject({ code: 0, stdout: '' });
  });

  it.each([
    ['log.level', 'debug', 'level = "debug"', 'in force now'],
    ['ledger.max_mb', '2048', 'max_mb = 2048', 'in force now'],
    ['ledger.max_mb', 'unlimited', 'max_mb = "unlimited"', 'in force now'],
    ['tools.flag', '["a", "b"]', 'flag = ["a", "b"]', 'in force now'],
    ['approvals.notify', 'false', 'notify = false', 'in force now'],
    ['ledger.segment_mb', '512', 'segment_mb = 512', 'in force with `sub up --restart`'],
  ])('writes %s = %s and says when it is in force', async (key, value, line, when) => {
    const { code, stdout } = await sub('config', 'set', key, value);
    expect([code, stdout]).toEqual([0, expect.stringContaining(when)]);
    expect(config().split('\n')).toContain(line);
  });

  it('takes a setting out again with --default', async () => {
    expect((await sub('config', 'set', 'log.level', '--default')).stdout).toMatch(
      /has its default; in force now/,
    );
    expect(config()).not.toMatch(/level/);
    expect((await sub('config', 'set', 'log.level', '--default')).stdout).toMatch(/already has its default/);
  });

  it('tells of other settings that lose their defaults with it', async () => {
    const { stderr } = await sub('config', 'set', 'rate_limits.actions."email.send"', '3');
    expect(stderr).toMatch(/with it, others are not what they were: .*calendar\.create/);
    await sub('config', 'set', 'rate_limits.actions."email.send"', '--default');
    expect((await sub('config', 'get', 'rate_limits.actions."calendar.create"')).stdout).toBe('30\n');
  });

  it.each([
    [['egress.modus', 'off'], /is no setting[^]*did you mean `egress\.mode`/],
    [['egress', 'off'], /is no setting[^]*`egress\.timeout_ms`/],
    [['egress.mode', 'strict'], /nothing was changed[^]*`observe` or `enforce` or `off`/],
    [['ipc.max_connections', '1'], /nothing was changed: `ipc\.max_connections`/],
    [['heads_log', ''], /nothing was changed/],
    [['log.level'], /the value is missing/],
    [['log.level', 'info', '--default'], /exclude each other/],
  ])('refuses %j, and writes nothing', async (words, says) => {
    const before = config();
    const { code, stderr } = await sub('config', 'set', ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
    expect(config()).toBe(before);
  });

  it('does not touch a file that has a mistake already', async () => {
    const other = createHome({ config: '[egress\n' });
    try {
      const path = join(other.home, 'config.toml');
      const before = readFileSync(path, 'utf8');
      const { code, stderr } = await runSub(['config', 'set', 'log.level', 'debug', '--home', other.home]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/error\[config_invalid\].*line 2/)]);
      expect(readFileSync(path, 'utf8')).toBe(before);
    } finally {
      await other.remove();
    }
  });

  it('makes a home and a file of one owner where there is none, and follows a link', async () => {
    const fresh = join(at.root, 'fresh');
    const made = await runSub(['config', 'set', 'log.level', 'debug', '--home', fresh]);
    expect(made.stdout).toMatch(/in force when the gateway starts/);
    expect(statSync(join(fresh, 'config.toml')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(fresh, 'gateway.db'))).toBe(false);
    const real = join(at.root, 'dots.toml');
    writeFileSync(real, '# dots\n', { mode: 0o600 });
    const linked = join(at.root, 'linked');
    await runSub(['config', 'set', 'log.level', 'debug', '--home', linked]);
    rmSync(join(linked, 'config.toml'));
    symlinkSync(real, join(linked, 'config.toml'));
    await runSub(['config', 'set', 'log.level', 'debug', '--home', linked]);
    expect(readFileSync(real, 'utf8')).toBe('# dots\n\n[log]\nlevel = "debug"\n');
  });
});

describe('sub allow preset', () => {
  it('lists presets, adds the hosts of one once, and takes one back by its name', async () => {
    const listed = (await sub('allow', 'preset', '--json')).stdout.trim().split('\n');
    expect(listed.map((line) => (JSON.parse(line) as { name: string }).name)).toContain('github');
    const first = JSON.parse((await sub('allow', 'preset', 'pypi', '--json')).stdout) as object;
    expect(first).toMatchObject({
      preset: 'pypi',
      added: ['files.pythonhosted.org', 'pypi.org'],
      listed: [],
    });
    const again = (await sub('allow', 'preset', 'pypi')).stdout;
    expect(again).toMatch(/^listed already `files\.pythonhosted\.org:443`\n/);
    const entries = (await sub('allow', 'list', '--json')).stdout.trim().split('\n');
    expect(entries.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        domain: 'files.pythonhosted.org',
        port: 443,
        protocol: 'https',
        allow_private: false,
        service_name: 'pypi',
      },
      { domain: 'pypi.org' },
    ]);
    expect((await sub('allow', 'remove', 'pypi.org')).stdout).toBe('removed `pypi.org`\n');
  });

  it('adds nothing where one of the names is wrong', async () => {
    const { code, stderr } = await sub('allow', 'preset', 'npm', 'pipy');
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean `pypi`?')]);
    expect((await sub('allow', 'list', '--json')).stdout).not.toMatch(/npmjs/);
  });
});

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROTOCOL } from '@subluminal/core-types';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually, processesWith } from '../harness/processes.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { SCRIPTED } from '../shim/start.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PARTS = [
  'packages/cli/bin',
  'packages/cli/dist/bundle',
  'packages/cli/dist/shim-bundle',
  'packages/daemon/dist/bundle',
];

let home: TestHome;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

/** A whole build of another version, in a folder of its own: what an older install is. Gives its `sub`. */
function build(name: string, version: string, protocol: number): string {
  const root = join(home.root, name);
  for (const part of PARTS) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  let [versions, protocols] = [0, 0];
  for (const part of PARTS.slice(1)) {
    for (const file of readdirSync(join(root, part))) {
      if (!file.endsWith('.js')) continue;
      const path = join(root, part, file);
      const text = readFileSync(path, 'utf8');
      const other = text
        .replaceAll(
          /\b(VERSION\d*) = "0\.1\.0"/g,
          (_, constant: string) => ((versions += 1), `${constant} = "${version}"`),
        )
        .replaceAll(
          /\b(PROTOCOL\d*) = \d+\b/g,
          (_, constant: string) => ((protocols += 1), `${constant} = ${protocol}`),
        );
      if (other !== text) writeFileSync(path, other);
    }
  }
  expect([versions, protocols]).toEqual([expect.any(Number), 3]);
  const sub = join(root, 'packages/cli/bin/sub.mjs');
  return sub;
}

/** An agent of that version: one run with one server. The run is the agent's, and not this process's. */
const agent = (sub: string, name: string): Promise<RawSession> =>
  openRawSession([
    process.execPath,
    sub,
    'run',
    '--home',
    home.home,
    '--agent',
    name,
    '--',
    process.execPath,
    sub,
    'shim',
    'stdio',
    '--home',
    home.home,
    '--server',
    'scripted',
    '--pass',
    '*',
    '--',
    process.execPath,
    SCRIPTED,
  ]);

const up = (...args: string[]) => runSub(['up', '--home', home.home, ...args]);

/**
 * Codes of decisions and ends of the newest run with that agent, oldest first; null while something is
 * missing.
 */
function codesOf(name: string): readonly (string | null)[] {
  const reader = openLedgerReader(home.ledger);
  try {
    const run = reader.runs({ limit: 10 }).rows.find(({ start }) => start.data['agent_id'] === name);
    const rows = reader.byRun(run?.runId ?? '', { order: 'asc', limit: 1000 }).rows;
    return rows
      .filter(({ type }) => ['tool_call_decision', 'tool_call_end', 'run_end'].includes(type))
      .map(({ code }) => code);
  } finally {
    reader.close();
  }
}

describe('sub up --restart', () => {
  it('replaces a gateway of an older version under an agent that goes on: same run, nothing lost', async () => {
    const old = build('older', '0.0.9', PROTOCOL);
    const session = await agent(old, 'patient');
    expect(
      (await session.request('tools/call', { name: 'echo', arguments: { a: 1 } })).error,
    ).toBeUndefined();
    const said = await up();
    expect(said.stdout).toContain('was up already');
    for (const verb of ['status', 'doctor'])
      expect((await runSub([verb, '--home', home.home])).stdout.replaceAll(/\s+/g, ' ')).toContain(
        'it is version 0.0.9, and this is 0.1.0',
      );
    expect(said.stderr).toContain('it is version 0.0.9, and this is 0.1.0: `sub up --restart` replaces it');

    // Answered once the client has answered its server, which is when the next gateway serves.
    const slow = session.request('tools/call', { name: 'ask', arguments: { method: 'ping' } });
    await eventually('the slow call is allowed', () => codesOf('patient').length === 3);
    const replaced = await up('--restart', '--json');
    expect(JSON.parse(replaced.stdout)).toMatchObject({ version: '0.1.0', replaced: { version: '0.0.9' } });
    const asked = session.unclaimed.find((one) => (one as { method?: string }).method === 'ping');
    session.write(`${JSON.stringify({ jsonrpc: '2.0', id: (asked as { id: string }).id, result: {} })}\n`);
    expect((await slow).error).toBeUndefined();
    await eventually('the shim is served again', async () => {
      const answer = await session.request('tools/call', { name: 'echo', arguments: { a: 2 } });
      return answer.error === undefined;
    });
    await session.close();
    const codes = codesOf('patient');
    expect(codes.filter((code) => code === 'OK')).toHaveLength(3);
    expect(codes.at(-1)).toBe('SUCCEEDED');
    expect(codes).not.toContain('ERROR');
    expect(await runSub(['audit', 'verify', '--home', home.home])).toMatchObject({ code: 0 });
  });

  it('replaces one that it cannot talk to; what speaks the older protocol is told so', async () => {
    expect((await runSub(['down', '--home', home.home])).code).toBe(0);
    const old = build('stranger', '0.0.8', 0);
    const session = await agent(old, 'stranger');
    expect(await up()).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /error\[version_mismatch\]: .*speaks protocol 0\nhelp: run `sub up --restart`/,
      ),
    });
    expect(await up('--restart')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('before: version 0.0.8'),
    });
    const answer = await session.request('tools/call', { name: 'echo', arguments: {} });
    expect(answer.error).toBeDefined();
    await session.close();
    await eventually('its run ends', () => codesOf('stranger').some((code) => code !== 'ALLOW'));
  });

  it('leaves the gateway that runs where the next one would not start, and says why', async () => {
    const apart = createHome();
    onTestFinished(() => apart.remove());
    const restart = () => runSub(['up', '--restart', '--home', apart.home]);
    const pid = async (): Promise<unknown> =>
      (JSON.parse((await runSub(['up', '--json', '--home', apart.home])).stdout) as { pid: unknown }).pid;
    const before = await pid();
    const config = join(apart.home, 'config.toml');
    const good = readFileSync(config, 'utf8');
    writeFileSync(config, 'heads_log = "not/absolute"\n');
    expect(await restart()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'error[config_invalid]: the next gateway would not start, and the one that runs goes on: ',
      ),
    });
    writeFileSync(config, good);
    writeFileSync(join(apart.home, 'policy.yaml'), 'rules: [\n', { mode: 0o600 });
    expect(await restart()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error[policy_invalid]: the next gateway would not start'),
    });
    rmSync(join(apart.home, 'policy.yaml'));
    expect(await pid()).toBe(before);
    // Asked by several at once every one of them is answered, and one gateway is left.
    const said = await Promise.all([restart(), restart()]);
    expect(said.map(({ code, stderr }) => [code, stderr])).toEqual(said.map(() => [0, '']));
    expect(await pid()).not.toBe(before);
    expect(processesWith(apart.home).filter(({ command }) => /gateway\S*\.js/.test(command))).toHaveLength(1);
    expect(await runSub(['audit', 'verify', '--home', apart.home])).toMatchObject({ code: 0 });
  });

  it('does not put an older gateway in the place of a newer one', async () => {
    const old = join(home.root, 'older', 'packages/cli/bin/sub.mjs');
    expect(existsSync(old)).toBe(true);
    const refused = spawnSync(process.execPath, [old, 'up', '--restart', '--home', home.home], {
      encoding: 'utf8',
    });
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('the gateway is version 0.1.0, and this is the older 0.0.9'),
    ]);
  });
});

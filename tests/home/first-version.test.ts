import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopGateway } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';

/**
 * A home as version 1 of `gateway.db` left it: a policy, a host, a bound secret, two pinned tools and one run
 * of three calls. It is never written again: each later version has to open it as it is.
 */
const FIRST = fileURLToPath(new URL('../fixtures/home-1', import.meta.url));
const RUN = '01M8ANND21Z4W7E9TCW809Y8AR';

let root: string;
let home: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'sub-'));
  home = join(root, 'home');
  cpSync(FIRST, home, { recursive: true });
  // Git keeps no modes of a file but one, and the gateway refuses keys that others may read.
  for (const folder of [home, join(home, 'keys')]) chmodSync(folder, 0o700);
  for (const file of readdirSync(home, { recursive: true, withFileTypes: true }))
    if (file.isFile()) chmodSync(join(file.parentPath, file.name), 0o600);
  const config = readFileSync(join(home, 'config.toml'), 'utf8');
  writeFileSync(
    join(home, 'config.toml'),
    `heads_log = ${JSON.stringify(join(root, 'memory/heads.log'))}\n${config}`,
  );
  const { code, stderr } = await runSub(['up', '--home', home]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await stopGateway(home);
  rmSync(root, { recursive: true, force: true });
});

/** The lines that a verb prints about the home, as JSON. */
async function told(...verb: string[]): Promise<unknown[]> {
  const { code, stdout } = await runSub([...verb, '--json', '--home', home]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

it('the record of a home of the first version verifies, with all its calls', async () => {
  expect((await runSub(['audit', 'verify', '--home', home])).code).toBe(0);
  expect(await told('runs')).toMatchObject([{ run_id: RUN, agent_id: 'demo', calls_total: 3 }]);
  expect(await told('query', '--run', RUN)).toMatchObject([
    { decision: 'REJECT_WITH_HINT', rule_id: 'few-calls' },
    { decision: 'BLOCK', rule_id: 'no-deletes' },
    { decision: 'ALLOW', tool_name: 'echo' },
  ]);
  expect(await told('hints', 'list')).toMatchObject([{ hint: { hint_text: 'sum up what is left' } }]);
});

it('its policy, hosts, tools and secrets are there', async () => {
  expect(await told('policy', 'show')).toMatchObject([{ policy_id: 'demo', policy_version: '1.0.0' }]);
  expect(await told('allow', 'list')).toMatchObject([{ domain: 'api.example.com', is_active: true }]);
  expect(await told('tools', 'list')).toMatchObject([{ server_name: 'echo', pinned: 2, held: [] }]);
  expect(await told('secrets', 'list')).toMatchObject([
    { name: 'demo', stored: true, uses: 1, bindings: [{ server_name: 'echo', inject_as: 'DEMO_TOKEN' }] },
  ]);
});

it('its store of secrets opens: a server gets the value that was put in then', async () => {
  const script = join(root, 'server.mjs');
  const seen = join(root, 'seen');
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(seen)}, process.env.TOKEN ?? 'nothing');\n`,
  );
  const command = [process.execPath, script];
  const bind = [
    'secrets',
    'bind',
    'mine',
    '--ref',
    'demo',
    '--as',
    'TOKEN',
    '--home',
    home,
    '--',
    ...command,
  ];
  expect(await runSub(bind)).toMatchObject({ code: 0 });
  const shim = [process.execPath, SUB, 'shim', 'stdio', '--server', 'mine', '--home', home, '--', ...command];
  await runSub(['run', '--home', home, '--', ...shim]);
  expect(readFileSync(seen, 'utf8')).toBe('fixture-secret-value-1');
});

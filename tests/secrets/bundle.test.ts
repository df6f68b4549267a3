import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub, type Finished } from '../harness/sub.js';
import { encodingsOf } from './encodings.js';
import { everyKind } from './kinds.js';

const PLACES = ['env', 'config', 'policy', 'log', 'claude', 'codex', 'account', 'server'] as const;
const planted = new Map(PLACES.map((place) => [place, everyKind(place)]));
const all = [...planted.values()].flat();
const textsOf = (place: (typeof PLACES)[number]): readonly string[] =>
  (planted.get(place) ?? []).map(({ text }) => text);
const commented = (texts: readonly string[]): string =>
  texts.map((text) => text.replaceAll(/^/gm, '# ')).join('\n');

let at: TestHome;
let user: string;
let ran: Finished;
let bundle: string;

const POLICY = `${commented(textsOf('policy'))}
policy_id: team
version: '1'
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: never-this
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: [${JSON.stringify(textsOf('policy')[0])}] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: ${JSON.stringify(textsOf('policy')[3])} }
`;

async function doctor(...args: string[]): Promise<Finished> {
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: user, SUB_PRINCIPAL: textsOf('env')[0] };
  for (const [n, text] of textsOf('env').entries()) env[`KEY_${n}`] = text.replaceAll('\0', '');
  return runSub(['doctor', ...args, '--home', at.home], { env, cwd: at.root });
}

beforeAll(async () => {
  const config = `${commented(textsOf('config'))}
[approvals]
notify = ["/bin/true", ${textsOf('config')
    .map((text) => JSON.stringify(text))
    .join(', ')}]
[servers.${JSON.stringify(textsOf('server')[0])}]
url = "https://internal.example/${planted.get('server')?.at(2)?.secret}"
`;
  at = createHome({ policy: POLICY, config });
  user = join(at.root, 'home-of-somebody');
  mkdirSync(join(user, '.codex'), { recursive: true });
  await runSub(['up', '--home', at.home]);
  await runSub(['account', 'add', 'finance', 'ours', '--home', at.home], {
    input: `https://user:${planted.get('account')?.at(0)?.secret}@bank.example/simplefin`,
  });
  await runSub(['secrets', 'add', 'one', '--home', at.home], { input: textsOf('account')[1] ?? '' });
  const log = join(at.home, 'logs/gateway.log');
  for (const text of textsOf('log')) {
    appendFileSync(log, `${text}\n`);
    appendFileSync(log, `${JSON.stringify({ level: 50, msg: text, file: `${user}/x` })}\n`);
  }
  const env = Object.fromEntries(textsOf('claude').map((text, n) => [`KEY_${n}`, text]));
  const claude = {
    mcpServers: {
      [textsOf('server')[1] ?? '']: { command: 'npx', args: textsOf('claude'), env },
      remote: {
        type: 'http',
        url: `https://x.example/?token=${planted.get('claude')?.at(0)?.secret}`,
        headers: env,
      },
    },
    projects: { [`${user}/work`]: { mcpServers: {}, history: textsOf('claude') } },
    oauthAccount: { emailAddress: 'somebody@example.com' },
  };
  writeFileSync(join(user, '.claude.json'), JSON.stringify(claude));
  const codex = textsOf('codex').map((text, n) => `KEY_${n} = ${JSON.stringify(text)}`);
  writeFileSync(
    join(user, '.codex/config.toml'),
    `[mcp_servers.ours]\ncommand = "npx"\n[mcp_servers.ours.env]\n${codex.join('\n')}\n`,
  );
  ran = await doctor('--bundle', 'bundle.txt', '--with-policy');
  bundle = readFileSync(join(at.root, 'bundle.txt'), 'utf8');
}, 120_000);
afterAll(() => at.remove());

describe('the bundle of `sub doctor`', () => {
  it('holds none of the secrets of this machine, whatever their kind, and in no encoding', () => {
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(all.length).toBeGreaterThan(400);
    const texts = [bundle, ran.stdout];
    const found = all.flatMap(({ kind, secret }) =>
      [...encodingsOf(secret).values()].some((bytes) =>
        texts.some((text) => Buffer.from(text).includes(bytes)),
      )
        ? [kind]
        : [],
    );
    expect(found).toEqual([]);
  });

  it('names nobody, no server, and no folder of a user', () => {
    for (const word of ['somebody', 'internal.example', 'x.example', 'bank.example', 'KEY_1', user])
      expect(bundle).not.toContain(word);
    expect(bundle).toContain('~');
  });

  it('says what it holds and that nothing was sent, and is for its owner alone', async () => {
    expect(ran.stdout).toMatch(/^written: .*bundle\.txt\n/);
    expect(ran.stdout).toContain('nothing was sent: read the file, then attach it to your report yourself');
    expect(statSync(join(at.root, 'bundle.txt')).mode & 0o777).toBe(0o600);
    for (const part of ['versions and platform', 'checks of', 'config.toml', 'policy.yaml', 'gateway.log']) {
      expect(bundle).toContain(`\n== `);
      expect(bundle).toContain(part);
      expect(ran.stdout).toContain(part);
    }
    expect(bundle).toContain('rule_id: never-this');
    expect(bundle).toMatch(/mcpServers:\n +<name>:\n +command: <text>\n/);
    expect(bundle).toContain('"msg":"gateway started"');
  });

  it('has of a policy its rules alone, unless its text is asked for', async () => {
    const { code } = await doctor('--bundle', 'shape.txt');
    expect(code).toBe(0);
    const text = readFileSync(join(at.root, 'shape.txt'), 'utf8');
    expect(text).toContain('never-this (deny, warn)');
    expect(text).not.toContain('tool_name');
  });

  it('replaces no file without a word', async () => {
    expect((await doctor('--bundle', 'bundle.txt')).code).toBe(2);
    expect((await doctor('--with-policy')).code).toBe(2);
    expect(readFileSync(join(at.root, 'bundle.txt'), 'utf8')).toBe(bundle);
    expect((await doctor('--bundle', 'bundle.txt', '--force', '--json')).stdout).toMatch(/"holds":\[/);
  });
});

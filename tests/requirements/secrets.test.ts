import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { call, INITIALIZE, scriptedRun, tailLines, type ScriptedRun } from './scripted-run.js';

/** Credentials of known shapes, put together here so that secret scanners pass this file by. */
const SECRETS = {
  github: ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_'),
  openai: ['sk', 'proj', 'abcdefghijklmnopqrstuvwxyz0123456789ABCD'].join('-'),
  aws: ['AKIA', 'IOSFODNN7QWERTYU'].join(''),
  slack: ['xoxb', '123456789012', '123456789012', 'abcdefghijklmnopqrstuvwx'].join('-'),
  password: 'correct-horse-battery-staple',
  bearer: 'bm90LWEtcmVhbC10b2tlbi1idXQtbG9uZy1lbm91Z2g',
  url: 'S3cretOfTheUrl',
  environment: 'only-in-the-environment-5c1f',
  argument: 'only-on-the-command-line-77aa',
} as const;

/** What is no secret and is therefore shown. */
const HARMLESS = 'quarterly report of the harbour';

const args = JSON.stringify({
  title: HARMLESS,
  password: SECRETS.password,
  nested: { api_key: SECRETS.openai, list: [SECRETS.github, `key ${SECRETS.aws} here`] },
  headers: { Authorization: `Bearer ${SECRETS.bearer}` },
  dsn: `postgres://user:${SECRETS.url}@db.example/app`,
  note: SECRETS.slack,
});
const failure = JSON.stringify({
  message: `refused: password=${SECRETS.password} token ${SECRETS.github}`,
  data: { authorization: `Bearer ${SECRETS.bearer}`, hint: SECRETS.openai },
});
const POLICY = `
policy_id: team
version: 1.0.0
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-delete
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['delete_*'] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: deleting is not allowed }
`;

let home: TestHome;
let run: ScriptedRun;
let events: string;

beforeAll(async () => {
  home = createHome({ policy: POLICY, config: '[log]\nlevel = "debug"\n' });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  run = await scriptedRun(home, {
    lines: [
      ...INITIALIZE,
      call(1, 'echo', args),
      call(2, 'fail', failure),
      call(3, 'delete_everything', args),
      { id: 4, text: `{"jsonrpc":"2.0","id":4,"method":"custom/login","params":${args}}` },
    ],
    env: { GITHUB_TOKEN: SECRETS.environment },
    serverArgs: [`--token=${SECRETS.argument}`],
  });
  events = (await tailLines(home)).join('\n');
});
afterAll(() => home.remove());

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

describe.each(Object.entries(SECRETS))('a secret of the kind %s', (_, secret) => {
  it('stands in no event and no preview', () => {
    expect(events).toContain(HARMLESS);
    expect(events).toContain('[REDACTED]');
    expect(events).not.toContain(secret);
  });

  it('stands in no file of the home, nor in the memory outside of it', () => {
    const files = [...filesBelow(home.home), home.headsLog];
    const names = files.map((path) => path.slice(home.root.length));
    expect(names).toEqual(expect.arrayContaining(['/home/ledger.db', '/home/gateway.db']));
    const holding = (text: string) => files.filter((path) => readFileSync(path).includes(text));
    expect(holding(HARMLESS)).not.toEqual([]);
    expect(holding(secret)).toEqual([]);
  });

  it('stands in no error that the gateway makes', () => {
    const refusal = run.client.answers[3];
    expect(refusal?.error?.code).toBe(-32081);
    expect(JSON.stringify(refusal)).not.toContain(secret);
  });
});

it('the secrets of the arguments still reach the server, and those of its answers the client', () => {
  expect(run.input.toString()).toContain(args);
  expect(run.client.answers[1]).toMatchObject({ result: { content: [{ type: 'text', text: args }] } });
  expect(run.client.answers[2]?.error).toMatchObject(JSON.parse(failure) as object);
});

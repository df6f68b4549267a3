import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, listAt, numberAt, textAt } from '@subluminal/core-types';
import {
  connectGateway,
  type GatewayClient,
  homePaths,
  processIdentity,
  readCredential,
} from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import type { Act, RuleOffer, RuleOffers, RuleWritten } from '@subluminal/ui/protocol';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { after } from '../gateway/cleanups.js';
import { runBegin } from '../gateway/harness.js';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { Asker, type Page, page, unlock } from './kit/page.js';

vi.setConfig({ testTimeout: 60_000 });

const POLICY = `# mine
policy_id: p
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  # nothing is removed
  - rule_id: no-rm
    kind: deny
    enabled: true
    severity: warn
    match: { command: { argv: ["rm *"] } }
    effect: { action: BLOCK, reason_code: NO_RM, message: "no", hint_text: "move it" }
`;

let home: TestHome;
let file: string;
let operator: GatewayClient;
let ours: Page;
let run: AskingRun;

beforeAll(async () => {
  home = createHome({ policy: POLICY });
  file = join(home.home, 'policy.yaml');
  await home.startWatched();
  const paths = homePaths(home.home);
  operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: Date.now,
  });
}, 180_000);
afterAll(async () => {
  operator.close();
  await home.remove();
});
beforeEach(async () => {
  put(POLICY);
  expect((await operator.request('policy.reload', {})).status).toBe('success');
  ours = await page(operator);
  run = await askingRun(home.home);
});
afterEach(() => run.end());

function put(text: string): void {
  writeFileSync(file, text);
}

function rowsOf(action: string): readonly { readonly type: string; readonly data: JsonObject }[] {
  const reader = openLedgerReader(home.ledger);
  try {
    return reader.byAction(action, { limit: 100 }).rows;
  } finally {
    reader.close();
  }
}

/** The entry of a call that was refused. */
async function refused(command: string): Promise<number> {
  expect((await run.decided(command)).action).toBe('REJECT_WITH_HINT');
  const { json } = await ours.get(`/ui/api/records?f=${encodeURIComponent(`run:${run.id}`)}`);
  return numberAt(listAt(json, 'rows')[0] ?? null, 'seq') ?? 0;
}

async function offersOf(entry: number): Promise<RuleOffers> {
  const { status, text } = await ours.get(`/ui/api/rule/${entry}`);
  expect(status, text).toBe(200);
  return JSON.parse(text) as RuleOffers;
}

async function offer(entry: number, as: string): Promise<RuleOffer & { readonly shown: string }> {
  const found = (await offersOf(entry)).offers.find((one) => one.as === as);
  if (found?.shown === undefined || found.shown === null) throw new Error(`no \`${as}\``);
  return { ...found, shown: found.shown };
}

const ruleAct = (entry: number, as: string, shown: string): Act => ({ act: 'rule', entry, as, shown });

describe('a rule for a refused call', () => {
  it('is shown in each way with all that would be written, and showing writes nothing', async () => {
    const entry = await refused('rm -r dist');
    const { file: named, lacks, offers } = await offersOf(entry);
    expect([named, lacks]).toEqual([file, null]);
    expect(offers.map(({ as, about }) => [as, about])).toEqual([
      ['path', 'the same files, with the same access'],
      ['command', 'the same commands, word by word'],
      ['args', 'the same arguments'],
      ['any', 'any arguments'],
    ]);
    for (const { diff, notes, shown } of offers) {
      expect(diff.filter((line) => /^[+-]/.test(line)).length).toBeGreaterThan(5);
      expect(diff.slice(2).filter((line) => line.startsWith('-'))).toEqual([]);
      expect(notes[0]).toContain('rule `no-rm` no longer refuses this tool with ');
      expect(shown).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(new Set(offers.map(({ shown }) => shown)).size).toBe(4);
    expect(offers[2]?.diff.filter((line) => line.includes('"command": "rm -r dist"'))).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(POLICY);
    expect(rowsOf('ui.rule')).toEqual([]);
  });

  it('is written by an unlocked page alone, as it was shown, and recorded before; its hash is that of what is loaded', async () => {
    const entry = await refused('rm one');
    const { diff, shown } = await offer(entry, 'command');
    const act = ruleAct(entry, 'command', shown);
    expect(await ours.act(act)).toMatchObject({ status: 403, code: 'locked' });
    expect(readFileSync(file, 'utf8')).toBe(POLICY);
    await unlock(operator, ours);
    const done = await ours.act(act);
    expect(done.status, done.text).toBe(200);
    const { data } = JSON.parse(done.text) as { readonly data: RuleWritten };
    expect(data).toEqual({
      file,
      rule: 'allow-despite-no-rm',
      policy_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const added = diff.filter((line) => line.startsWith('+') && !line.startsWith('+++'));
    const now = readFileSync(file, 'utf8');
    expect(now).toContain(added.map((line) => line.slice(1)).join('\n'));
    expect(now.length).toBe(POLICY.length + added.join('\n').length - added.length + 1);
    const [result, pending] = rowsOf('ui.rule');
    expect(pending).toMatchObject({
      type: 'action_pending',
      data: { source: `ui:${ours.session}`, decision: { entry, as: 'command', shown } },
    });
    expect(result).toMatchObject({ type: 'action_result', data: { detail: data } });
    await expect
      .poll(async () => (await ours.get('/ui/api/state')).json)
      .toMatchObject({ policy: { hash: data.policy_hash, problem: null } });
    expect((await run.decided('rm one')).action).toBe('ALLOW');
    expect((await run.decided('rm two')).action).toBe('REJECT_WITH_HINT');
  });

  it('is not written where the file is another one by then, in one sign, and says so', async () => {
    const entry = await refused('rm one');
    const { shown } = await offer(entry, 'any');
    await unlock(operator, ours);
    const other = POLICY.replace('# mine', '# mine!');
    put(other);
    const done = await ours.act(ruleAct(entry, 'any', shown));
    expect(done).toMatchObject({ status: 409, code: 'changed' });
    expect(textAt(done.json, 'error', 'message')).toBe(
      'the policy file, or its new rule, is not as it was shown',
    );
    expect(readFileSync(file, 'utf8')).toBe(other);
    const again = await offer(entry, 'any');
    expect((await ours.act(ruleAct(entry, 'any', again.shown))).status).toBe(200);
  });

  it('is that of its own call and reading: the yes to one is none to another', async () => {
    const [one, two] = [await refused('rm one'), await refused('rm two')];
    const { shown } = await offer(one, 'command');
    await unlock(operator, ours);
    for (const act of [
      ruleAct(two, 'command', shown),
      ruleAct(one, 'any', shown),
      ruleAct(one, 'args', shown),
    ])
      expect(await ours.act(act)).toMatchObject({ status: 409, code: 'changed' });
    expect(readFileSync(file, 'utf8')).toBe(POLICY);
  });

  it('is refused where its rule, or the file, is gone, and where the file has a mistake', async () => {
    const entry = await refused('rm one');
    const { shown } = await offer(entry, 'any');
    await unlock(operator, ours);
    for (const text of [
      POLICY.replaceAll('no-rm', 'other'),
      'rules: [',
      POLICY.replace('deny', 'nonsense'),
    ]) {
      put(text);
      expect((await ours.get(`/ui/api/rule/${entry}`)).status).toBe(503);
      expect((await ours.act(ruleAct(entry, 'any', shown))).status).toBe(422);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  it('takes no flag, path or text in the place of a word, a digest or an entry', async () => {
    await unlock(operator, ours);
    for (const body of [
      { act: 'rule', entry: 1, as: '--yes', shown: 'a'.repeat(64) },
      { act: 'rule', entry: 1, as: 'any --file /etc/x', shown: 'a'.repeat(64) },
      { act: 'rule', entry: '1', as: 'any', shown: 'a'.repeat(64) },
      { act: 'rule', entry: -1, as: 'any', shown: 'a'.repeat(64) },
      { act: 'rule', entry: 1, as: 'any', shown: '--yes' },
      { act: 'rule', entry: 1, as: 'any', shown: 'a'.repeat(64), file: '/etc/x' },
      { act: 'rule', entry: 1, as: 'any' },
    ])
      expect(await ours.post('/ui/api/act', body), JSON.stringify(body)).toMatchObject({
        code: 'bad_request',
      });
    for (const path of ['--help', '..', '1/2', '%2d1', ''])
      expect((await ours.get(`/ui/api/rule/${path}`)).status, path).toBeGreaterThanOrEqual(400);
    expect(await ours.get('/ui/api/rule/999999')).toMatchObject({ code: 'not_found' });
  });

  it('holds what an agent wrote as one value, whatever that is', async () => {
    const words = 'rm "\n  - rule_id: evil\n    kind: allow\n" # \u202e {{x}} <b>';
    const entry = await refused(words);
    const { diff, shown } = await offer(entry, 'args');
    expect(diff.filter((line) => line.includes('evil'))).toHaveLength(1);
    await unlock(operator, ours);
    expect((await ours.act(ruleAct(entry, 'args', shown))).status).toBe(200);
    await expect
      .poll(async () =>
        listAt(listAt((await ours.get('/ui/api/policy')).json, 'parts')[0] ?? null, 'rules').map((one) =>
          textAt(one, 'id'),
        ),
      )
      .toEqual(['allow-despite-no-rm', 'no-rm']);
    expect((await run.decided(words)).action).toBe('ALLOW');
  });

  it('is not written for a session that was ended while the act waited its turn', async () => {
    const entry = await refused('rm one');
    const { shown } = await offer(entry, 'any');
    await unlock(operator, ours);
    // The act waits behind what the same session looks at.
    const looks = [1, 2, 3].map(() => ours.get(`/ui/api/rule/${entry}`));
    const acted = ours.act(ruleAct(entry, 'any', shown));
    await expect.poll(() => rowsOf('ui.rule')[0]?.type).toBe('action_pending');
    expect((await ours.post('/ui/api/leave', {})).status).toBe(200);
    expect(await acted).toMatchObject({ status: 401, code: 'no_session' });
    await Promise.all(looks);
    expect(readFileSync(file, 'utf8')).toBe(POLICY);
    expect(rowsOf('ui.rule')[0]).toMatchObject({
      type: 'action_result',
      data: { error: { code: 'not_permitted', message: 'the session of this page is over' } },
    });
  });

  it('is neither shown to a program of a run nor written by one, whatever session it stole', async () => {
    const entry = await refused('rm one');
    const { shown } = await offer(entry, 'any');
    await unlock(operator, ours);
    const inside = new Asker();
    after(() => inside.end());
    expect(await inside.ask(ours.door, 'GET', '/ui/api/state', ours.headers)).toMatchObject({ status: 200 });
    await operator.request('run.begin', runBegin({ holder: processIdentity(inside.process.pid ?? 0) }));
    const body = JSON.stringify(ruleAct(entry, 'any', shown));
    for (const asked of [
      inside.ask(ours.door, 'GET', `/ui/api/rule/${entry}`, ours.headers),
      inside.ask(ours.door, 'POST', '/ui/api/act', ours.headers, body),
      inside.ask(ours.door, 'GET', '/ui/api/policyfile', ours.headers),
    ])
      expect(await asked).toEqual({ status: 403, code: 'inside_run' });
    expect(readFileSync(file, 'utf8')).toBe(POLICY);
  });
});

import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@subluminal/core-types';
import { connectGateway, type GatewayClient, homePaths, readCredential } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import type { Card, RecordsPage } from '@subluminal/ui/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { after } from '../gateway/cleanups.js';
import { dataOf, start } from '../gateway/harness.js';
import { PROJECT } from '../day/policies.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { Lister, tool } from '../tools/lister.js';
import { Asker, opened, type Page, page, unlock } from './kit/page.js';

const POLICY = bundle(
  [
    {
      enabled: true,
      severity: 'warn',
      rule_id: 'pushes',
      kind: 'ask',
      match: { command: { argv: ['git push*'] } },
      effect: { action: 'ASK', message: 'pushes are asked about' },
    },
    deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move it instead' }),
  ],
  { mode: 'control' },
);

let home: TestHome;
let operator: GatewayClient;
let ours: Page;
let run: AskingRun;

beforeAll(async () => {
  home = createHome({ policy: POLICY });
  await home.startWatched();
  const paths = homePaths(home.home);
  operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: Date.now,
  });
});
afterAll(async () => {
  operator.close();
  await home.remove();
});
beforeEach(async () => {
  ours = await page(operator);
  run = await askingRun(home.home);
});
afterEach(() => run.end());

async function cards(): Promise<readonly Card[]> {
  const { json, text } = await ours.get('/ui/api/inbox');
  if (json['cards'] === undefined) throw new Error(text);
  return (JSON.parse(text) as { cards: readonly Card[] }).cards.filter((card) => card.run === run.id);
}

async function cardOf(kind: Card['kind']): Promise<Card> {
  const found = (await cards()).find((card) => card.kind === kind && card.open);
  if (found === undefined) throw new Error(`no ${kind} waits`);
  return found;
}

function pendingOf(action: string): readonly JsonObject[] {
  const reader = openLedgerReader(home.ledger);
  try {
    const { rows } = reader.byAction(action, { limit: 100 });
    return rows.filter(({ type }) => type === 'action_pending').map(({ data }) => data);
  } finally {
    reader.close();
  }
}

describe('a question about a call', () => {
  it('is answered with yes by an unlocked page alone, as the session and not as the operator', async () => {
    const id = await run.asked('git push origin one');
    const card = await cardOf('question');
    expect(card).toMatchObject({ id, command: `sub approvals show ${card.seq}` });
    const yes = { act: 'approve', id, for: 'once', shown: card.shown } as const;
    expect(await ours.act(yes)).toMatchObject({ status: 403, code: 'locked' });
    expect((await run.decided('git push origin one')).action).toBe('REJECT_WITH_HINT');
    expect((await unlock(operator, ours)).status).toBe(200);
    const done = await ours.act(yes);
    expect(done).toMatchObject({ status: 200 });
    const seq = Number(textAt(done.json, 'audit_ref').split('.')[0]);
    const reader = openLedgerReader(home.ledger);
    after(() => reader.close());
    const result = reader.entry(seq);
    expect(reader.entry(result?.ref ?? 0)).toMatchObject({
      tool: 'approvals.approve',
      data: { source: `ui:${ours.session}` },
    });
    expect((await run.decided('git push origin one')).action).toBe('ALLOW');
  });

  it.each([
    ['yes', 'approvals.approve', { for: 'once' }],
    ['no', 'approvals.deny', {}],
  ] as const)('says %s in its row as soon as that is recorded', async (answer, action, how) => {
    const id = await run.asked(`git push origin row-${answer}`);
    const socket = ours.listen();
    after(() => socket.close());
    await socket.frame('welcome');
    const row = async () => {
      const { text } = await ours.get(`/ui/api/records?f=${encodeURIComponent(`row-${answer}`)}`);
      const { rows } = JSON.parse(text) as RecordsPage;
      return rows.find(({ decision }) => decision === 'ASKED');
    };
    const { seq, answer: before } = (await row()) ?? {};
    expect(before).toBeNull();
    expect((await operator.request(action, { approval_id: id, ...how })).status).toBe('success');
    expect(await row()).toMatchObject({ seq, answer });
    await expect
      .poll(() => socket.frames.flatMap((frame) => (frame.t === 'rows' ? frame.rows : [])))
      .toContainEqual(expect.objectContaining({ seq, decision: 'ASKED', answer }));
  });

  it('names the newest call that a yes for the run let pass', async () => {
    const id = await run.asked('git push origin for-the-run');
    const held = async (): Promise<Card | undefined> => {
      const { text } = await ours.get('/ui/api/inbox');
      return (JSON.parse(text) as { cards: Card[] }).cards.find((card) => card.id === id);
    };
    await operator.request('approvals.approve', { approval_id: id, for: 'run' });
    expect(await held()).toMatchObject({ open: false, passed: null });
    const passed = async (): Promise<number | undefined> => {
      expect((await run.decided('git push origin for-the-run')).action).toBe('ALLOW');
      const { text } = await ours.get('/ui/api/records?f=for-the-run&limit=1');
      return (JSON.parse(text) as RecordsPage).rows[0]?.seq;
    };
    for (const call of [await passed(), await passed()].slice(-1))
      expect(await held()).toMatchObject({ passed: call });
  });

  it('is answered with no by any page, and the agent reads why', async () => {
    const id = await run.asked('git push origin two');
    const { shown } = await cardOf('question');
    expect((await ours.act({ act: 'deny', id, say: 'not on a friday', shown })).status).toBe(200);
    expect(JSON.stringify(await run.decided('git push origin two'))).toContain('not on a friday');
  });

  it('that is not what was shown any more is refused: it was answered, or another hash was shown', async () => {
    const id = await run.asked('git push origin three');
    const { shown } = await cardOf('question');
    await unlock(operator, ours);
    const other = shown.replace(/^./, (sign) => (sign === '0' ? '1' : '0'));
    expect(await ours.act({ act: 'approve', id, for: 'run', shown: other })).toMatchObject({
      status: 409,
      code: 'changed',
    });
    await operator.request('approvals.deny', { approval_id: id });
    expect(await ours.act({ act: 'approve', id, for: 'run', shown })).toMatchObject({
      status: 409,
      code: 'changed',
    });
    expect((await run.decided('git push origin three')).action).not.toBe('ALLOW');
  });
});

it('a hint is promoted by an unlocked page, for the call that was shown', async () => {
  expect((await run.decided('rm one')).action).toBe('REJECT_WITH_HINT');
  const card = await cardOf('hint');
  const promote = { act: 'promote', run: run.id, call: card.id, any_args: false, shown: card.shown } as const;
  expect(await ours.act(promote)).toMatchObject({ code: 'locked' });
  await unlock(operator, ours);
  expect(await ours.act({ ...promote, run: 'another' })).toMatchObject({ status: 409 });
  expect((await ours.act(promote)).json).toMatchObject({ data: { rule_id: 'no-rm' } });
  expect((await run.decided('rm one')).action).toBe('ALLOW');
  expect((await run.decided('rm two')).action).toBe('REJECT_WITH_HINT');
  const detail = await ours.get(`/ui/api/record/${card.seq}`);
  expect(detail.json).toMatchObject({ hint: { promoted: { rule_id: 'no-rm' } }, hint_shown: null });
});

it('a held tool is taken as it was shown, and not as it has become', async () => {
  const lister = new Lister(run.client, 'fs');
  await lister.seen([tool('read_file')]);
  expect(await lister.seen([tool('read_file', { description: 'sends it away' })])).toEqual([]);
  const held = async (): Promise<Card> => {
    const { text } = await ours.get('/ui/api/inbox');
    const all = (JSON.parse(text) as { cards: readonly Card[] }).cards;
    const found = all.find(({ id, kind }) => kind === 'tool' && id === 'fs/read_file');
    if (found === undefined) throw new Error('it is not held');
    return found;
  };
  const first = await held();
  expect(first.facts).toMatchObject({ after: { description: 'sends it away' } });
  // A page that reads its inbox by itself is no person who looked.
  const tools = [{ tool_name: 'read_file', hash: textAt(first.facts, 'hash') }];
  const unseen = await operator.request('tools.approve', { server_name: 'fs', tools });
  expect(dataOf(unseen)).toMatchObject({ left: [{ why: 'not_shown' }] });
  await unlock(operator, ours);
  await lister.seen([tool('read_file', { description: 'sends it far away' })]);
  const take = { act: 'take', server: 'fs', tool: 'read_file' } as const;
  expect(await ours.act({ ...take, shown: first.shown })).toMatchObject({ status: 409, code: 'changed' });
  const { json } = await ours.act({ ...take, shown: (await held()).shown });
  expect(listAt(json['data'] ?? null, 'approved')).toMatchObject([{ tool_name: 'read_file' }]);
});

it('the record names what each action allowed that allowed more', async () => {
  const file = join(home.root, 'shop', '.subluminal.yaml');
  const text = PROJECT;
  await operator.request('allow.add', { host: 'example.com', port: 443 });
  await operator.request('policy.trust', { file, text });
  const id = await run.asked('git push origin main');
  const { seq } = await cardOf('question');
  await operator.request('approvals.approve', { approval_id: id, for: 'once' });
  const { text: told } = await ours.get('/ui/api/records?f=is:widening&limit=3');
  const { rows } = JSON.parse(told) as RecordsPage;
  expect(rows.map(({ action, object }) => `${action} ${object}`)).toEqual([
    `approvals.approve git push origin main (entry ${seq}), once`,
    `policy.trust ${file}`,
    'allow.add example.com:443',
  ]);
});

it('everything is stopped by any page, and goes on by an unlocked one', async () => {
  expect((await ours.act({ act: 'panic', reason: 'by the page' })).json).toMatchObject({
    data: { panicked: { reason: 'by the page' } },
  });
  expect((await ours.get('/ui/api/state')).json).toMatchObject({ panicked: { reason: 'by the page' } });
  expect(await ours.act({ act: 'resume' })).toMatchObject({ status: 403, code: 'locked' });
  await unlock(operator, ours);
  expect((await ours.act({ act: 'resume' })).json).toMatchObject({ data: { resumed: true } });
  expect(pendingOf('panic.end')).toMatchObject([{ source: `ui:${ours.session}` }]);
  const { json } = await ours.get('/ui/api/records?f=action:panic.*');
  expect(listAt(json, 'rows')).toMatchObject([
    { action: 'panic.end', status: 'resumed', who: `ui:${ours.session}` },
    { action: 'panic.begin', status: 'stopped', who: 'operator', why: 'by the page', refused: false },
  ]);
  run = await askingRun(home.home);
});

describe('the digits', () => {
  it('are tried five times, used once, and good for one page', async () => {
    const made = async (): Promise<string> => textAt(dataOf(await operator.request('ui.unlock', {})), 'code');
    const right = await made();
    expect(right).toMatch(/^[0-9]{6}$/);
    const wrong = right === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1)
      expect(await ours.post('/ui/api/unlock', { code: wrong })).toMatchObject({ code: 'code_wrong' });
    const failed = pendingOf('ui.session').length;
    for (let tries = 0; tries < 5; tries += 1)
      expect(await ours.post('/ui/api/unlock', { code: right })).toMatchObject({ code: 'locked' });
    expect(pendingOf('ui.session')).toHaveLength(failed);
    const other = await page(operator);
    // They are for the page that a person used last, and tries of another one count for nothing.
    await ours.get('/ui/api/state', { 'subl-person': '1' });
    await other.get('/ui/api/state');
    const again = await made();
    for (let tries = 0; tries < 6; tries += 1)
      expect(await other.post('/ui/api/unlock', { code: wrong })).toMatchObject({ code: 'locked' });
    expect(await other.post('/ui/api/unlock', { code: again })).toMatchObject({ code: 'locked' });
    expect((await ours.post('/ui/api/unlock', { code: again })).status).toBe(200);
    expect(await ours.post('/ui/api/unlock', { code: again })).toMatchObject({ code: 'locked' });
    expect((await other.get('/ui/api/state')).json).toMatchObject({ unlocked_until: null });
    expect(pendingOf('ui.session').length).toBeGreaterThan(6);
  });

  it('unlock a page that locks itself again, and says so in the record', async () => {
    expect((await unlock(operator, ours)).status).toBe(200);
    expect((await ours.post('/ui/api/lock', {})).status).toBe(200);
    expect((await ours.get('/ui/api/state')).json).toMatchObject({ unlocked_until: null });
    expect(await ours.act({ act: 'resume' })).toMatchObject({ status: 403, code: 'locked' });
    const reader = openLedgerReader(home.ledger);
    after(() => reader.close());
    const { rows } = reader.byAction('ui.session', { limit: 20 });
    expect(rows.map(({ data }) => textAt(data, 'detail', 'event'))).toContain('locked');
  });

  it('are good for two minutes, and what they unlock for fifteen', async () => {
    let now = Date.now();
    const gateway = await start({ clock: () => now });
    const asker = await gateway.operator();
    const far = new Asker();
    after(() => far.end());
    const { door } = await opened(asker);
    const at = await page(asker);
    const post = (path: string, body: object) =>
      far.ask(door, 'POST', path, at.headers, JSON.stringify(body));
    const digits = async (): Promise<string> => textAt(dataOf(await asker.request('ui.unlock', {})), 'code');
    const late = await digits();
    now += 120_001;
    expect(await post('/ui/api/unlock', { code: late })).toEqual({ status: 403, code: 'locked' });
    expect((await post('/ui/api/unlock', { code: await digits() })).status).toBe(200);
    now += 14 * 60_000;
    expect((await post('/ui/api/act', { act: 'resume' })).status).toBe(200);
    now += 60_001;
    expect(await post('/ui/api/act', { act: 'resume' })).toEqual({ status: 403, code: 'locked' });
  });
});

it('nothing else of the gateway can be asked for by a page', async () => {
  await unlock(operator, ours);
  for (const what of [
    { act: 'secrets.reveal', name: 'x' },
    { act: 'resume', more: 1 },
    { act: 'allow.add', host: 'evil.example' },
    { act: '__proto__' },
    {},
  ]) {
    expect(await ours.post('/ui/api/act', what)).toMatchObject({ status: 400, code: 'bad_request' });
  }
});

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type ActionResponse, type JsonObject } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { between } from '../gateway/between.js';
import { after, start, toolCall, type TestGateway } from '../gateway/harness.js';
import { Lister, tool } from '../tools/lister.js';
import {
  beginBody,
  endBody,
  handShim,
  headBody,
  ingest,
  keyOf,
  NOBODY,
  POLICY,
  spoolOf,
  spoolOfReads,
  type Handed,
  type HandShim,
} from './peer.js';

/** How many of so many further reads a gateway still allows the run. */
async function readsLeft(shim: HandShim, asked = 8): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < asked; n += 1) {
    const answer = await shim.client.request('tool.call.begin', toolCall({ server_name: 'files' }));
    if (answer.status === 'success') allowed += 1;
  }
  return allowed;
}

function spoolRows(world: TestGateway, runId: string | null): JsonObject[] {
  return world
    .rows('spool_ingested')
    .filter((row) => row.runId === runId)
    .map((row) => ({ code: row.code, ...row.data }));
}

/** The verdict on the ledger once nothing is written to it any more. */
async function verified(world: TestGateway): Promise<string> {
  await world.gateway.stop('test');
  return world.verify();
}

const testimonies = (world: TestGateway): number =>
  world.rows('tool_call_decision').filter(({ data }) => data['testimony'] !== undefined).length;

const reason = ({ data }: ActionResponse): unknown =>
  isJsonObject(data ?? null) ? (data as JsonObject)['reason'] : undefined;

describe('a spool', () => {
  it('is recorded as testimony, charged, and verified with the ledger', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 3);
    const answer = await shim.back(handed);
    expect(answer).toMatchObject({ status: 'success', data: { outcome: 'ingested', calls: 3 } });

    const [entry] = spoolRows(world, shim.runId);
    expect(entry).toMatchObject({
      code: 'success',
      calls: 3,
      lines: 7,
      open: 0,
      from: 'shim',
      last: handed.last,
      shim: shim.shimId,
    });
    const decisions = world.rows('tool_call_decision');
    expect(decisions.map(({ code }) => code)).toEqual(['ALLOW', 'ALLOW', 'ALLOW']);
    for (const row of decisions) {
      expect(row.data['testimony']).toMatchObject({ spool: entry?.['spool'] });
      expect(row.data['facts']).toMatchObject({ charge: expect.anything() });
    }
    expect(world.rows('tool_call_end').map(({ code }) => code)).toEqual(['OK', 'OK', 'OK']);
    expect(await readsLeft(shim)).toBe(2);
    expect(await verified(world)).toBe('ok');
  });

  it('stays charged when the gateway starts anew', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    await shim.back(spoolOfReads(shim, 3));
    await world.restart();
    await shim.back();
    expect(await readsLeft(shim)).toBe(2);
  });

  it('is charged beyond the end of a limit, and nothing is given back', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 4);
    expect(await readsLeft(shim, 4)).toBe(4);
    expect(await shim.back(handed)).toMatchObject({ status: 'success' });
    expect(testimonies(world)).toBe(4);
    expect(await readsLeft(shim)).toBe(0);
    const said = world
      .rows('tool_call_decision')
      .map(({ data }) => (data['testimony'] as JsonObject | undefined)?.['now']);
    expect(said.filter((one) => one !== undefined)).toMatchObject([
      { reason_code: 'BUDGET_EXCEEDED' },
      { reason_code: 'BUDGET_EXCEEDED' },
      { reason_code: 'BUDGET_EXCEEDED' },
    ]);
  });

  it('with a call that has not ended leaves it open for its shim, which ends it like any other', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const begin = beginBody(pushed);
    await shim.back(spoolOf(keyOf(shim, pushed), [headBody(pushed), begin]));
    const end = { ...(endBody(pushed, begin.call_id)['end'] as JsonObject) };
    expect(await shim.client.request('tool.call.end', end)).toMatchObject({ status: 'success' });
    expect(world.rows('tool_call_end').map(({ code }) => code)).toEqual(['OK']);
    expect(await verified(world)).toBe('ok');
  });

  it('closes what the gateway had allowed, where the shim did not hear of it and made the call alone', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const asked = toolCall({ server_name: 'files', shim_id: shim.shimId });
    const foreign = toolCall({ server_name: 'files', shim_id: 'another' });
    for (const call of [asked, foreign]) await shim.client.request('tool.call.begin', call);
    const [one, two] = [
      beginBody(pushed, { asked: asked.call_id }),
      beginBody(pushed, { asked: foreign.call_id }),
    ];
    const bodies = [one, endBody(pushed, one.call_id), two, endBody(pushed, two.call_id)];
    await shim.back(spoolOf(keyOf(shim, pushed), [headBody(pushed), ...bodies]));
    const ends = world
      .rows('tool_call_end')
      .map(({ code, data }) => [code, (data['call'] as JsonObject)['call_id']]);
    expect(ends).toEqual([
      ['OK', one.call_id],
      ['OK', two.call_id],
      ['ERROR', asked.call_id],
    ]);
    expect(await verified(world)).toBe('ok');
  });

  it('that is presented again is refused, and charged once', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 2);
    await shim.back(handed);
    for (const restart of [false, true]) {
      if (restart) await world.restart();
      const again = await shim.back(handed);
      expect(again).toMatchObject({
        status: 'error',
        error: { code: 'replayed' },
        data: { outcome: 'replayed' },
      });
    }
    expect(testimonies(world)).toBe(2);
    expect(await readsLeft(shim)).toBe(3);
  });

  it('that two connections present at once is taken once', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 2);
    await shim.back();
    await Promise.all(Array.from({ length: 4 }, () => ingest(shim, handed)));
    expect(testimonies(world)).toBe(2);
    expect(await readsLeft(shim)).toBe(3);
  });
});

/** What a forger makes of a good spool of two reads; the reason why it is refused. */
const FORGERIES: readonly [string, string, (good: Handed, shim: HandShim) => Handed][] = [
  [
    'with a line that was changed',
    'bad_mac',
    (good) => ({ ...good, text: good.text.replace('"bytes_in":40', '"bytes_in":41') }),
  ],
  ['cut short', 'shorter', (good) => ({ ...good, text: linesOf(good).slice(0, -1).join('') })],
  ['cut short inside of a line', 'shorter', (good) => ({ ...good, text: good.text.slice(0, -9) })],
  [
    'with lines in another order',
    'bad_chain',
    (good) => ({ ...good, text: swapped(linesOf(good), 1, 3).join('') }),
  ],
  [
    'with a line taken out',
    'bad_chain',
    (good) => ({ ...good, text: linesOf(good).toSpliced(2, 1).join('') }),
  ],
  [
    'with a line twice',
    'bad_chain',
    (good) => ({
      ...good,
      text: linesOf(good)
        .toSpliced(1, 0, linesOf(good)[1] ?? '')
        .join(''),
    }),
  ],
  ['without its first line', 'no_header', (good) => ({ ...good, text: linesOf(good).slice(1).join('') })],
  ['that ends otherwise than its shim says', 'other_tail', (good) => ({ ...good, last: 'ab'.repeat(32) })],
  [
    'under a key that is not of its session',
    'bad_mac',
    (_, shim) =>
      spoolOf(randomBytes(32), [
        headBody(shim.snapshot()),
        beginBody(shim.snapshot()),
        beginBody(shim.snapshot()),
      ]),
  ],
  [
    'under a snapshot that nobody signed',
    'not_issued',
    (_, shim) => {
      const pushed = shim.snapshot();
      const later = { ...pushed, head: { ...pushed.head, expires_ms: pushed.head.issued_ms + 1e9 } };
      return spoolOf(keyOf(shim, pushed), [headBody(later), beginBody(pushed), beginBody(pushed)]);
    },
  ],
  [
    'with a call from behind its time',
    'out_of_time',
    (_, shim) => {
      const pushed = shim.snapshot();
      const late = beginBody(pushed, { ms: pushed.head.issued_ms + 300_001 });
      return spoolOf(keyOf(shim, pushed), [headBody(pushed), beginBody(pushed), late]);
    },
  ],
  [
    'with the end of a call that it does not have',
    'bad_form',
    (_, shim) => {
      const pushed = shim.snapshot();
      const bodies = [
        headBody(pushed),
        beginBody(pushed),
        beginBody(pushed),
        endBody(pushed, 'no-such-call'),
      ];
      return spoolOf(keyOf(shim, pushed), bodies);
    },
  ],
];

const linesOf = ({ text }: Handed): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
const swapped = (lines: string[], a: number, b: number): string[] =>
  lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '');

describe('a spool that is not believed', () => {
  it.each(FORGERIES)(
    '%s is refused as %s, recorded, and charged for what can be read in it',
    async (_, why, forge) => {
      const world = await start({ policy: POLICY });
      const other = await handShim(world);
      const shim = await handShim(world);
      const answer = await shim.back(forge(spoolOfReads(shim, 2), shim));
      expect(answer).toMatchObject({
        status: 'error',
        error: { code: 'invalid_request' },
        data: { outcome: 'refused' },
      });
      expect(reason(answer)).toBe(why);
      expect(spoolRows(world, shim.runId)).toMatchObject([{ code: 'error', reason: why, from: 'shim' }]);
      expect(testimonies(world)).toBe(0);

      expect(await readsLeft(shim)).toBeLessThanOrEqual(3);
      expect(await readsLeft(other)).toBe(5);
      expect(await verified(world)).toBe('ok');
    },
  );

  it('leaves its run without snapshots for good, and another one with its own', async () => {
    const world = await start({ policy: POLICY });
    const other = await handShim(world);
    const shim = await handShim(world);
    const good = spoolOfReads(shim, 1);
    await shim.back({ ...good, last: 'ab'.repeat(32) });
    shim.pushes.splice(0);
    await shim.back();
    expect(shim.pushes).toEqual([]);
    await world.restart();
    await shim.back();
    await other.back();
    expect(shim.pushes).toEqual([]);
    expect(other.pushes.filter(({ type }) => type === 'snapshot').length).toBeGreaterThan(1);
  });

  it('stays charged when the gateway starts anew', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const good = spoolOfReads(shim, 3);
    await shim.back({ ...good, last: 'ab'.repeat(32) });
    await world.restart();
    await shim.back();
    expect(await readsLeft(shim)).toBe(2);
  });

  it('and tells of fewer calls than its shim says is charged for those that are missing', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const good = spoolOfReads(shim, 1);
    await shim.back({ ...good, calls: 4, lines: 9 });
    expect(spoolRows(world, shim.runId)).toMatchObject([{ reason: 'shorter', readable: 1, charged: 4 }]);
    expect(await readsLeft(shim)).toBe(1);
  });

  it('because it is of another run charges that one nothing', async () => {
    const world = await start({ policy: POLICY });
    const victim = await handShim(world);
    const thief = await handShim(world);
    const answer = await thief.back(spoolOfReads(victim, 4));
    expect(reason(answer)).toBe('other_run');
    expect(spoolRows(world, victim.runId)).toEqual([]);
    expect(await readsLeft(victim)).toBe(5);
    expect(await victim.back(spoolOfReads(victim, 0))).toMatchObject({ status: 'success' });
  });

  it('keeps neither the true one of its shim out, nor does a request that bears its name', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const agent = await handShim(world, shim);
    const pushed = shim.snapshot();
    const forged = spoolOf(keyOf(agent, agent.snapshot()), [headBody(pushed), beginBody(pushed)]);
    expect(reason(await ingest(agent, forged))).toBe('bad_mac');
    const squatting = { id: `spool-${pushed.head.id}` };
    await agent.client.request(
      'tool.call.begin',
      toolCall({ server_name: 'files', tool_name: 'list' }),
      squatting,
    );
    expect(await shim.back(spoolOfReads(shim, 2))).toMatchObject({ status: 'success', data: { calls: 2 } });
    expect(testimonies(world)).toBe(2);
    expect(await readsLeft(shim)).toBe(2);
    expect(await verified(world)).toBe('ok');
  });

  it('with an id of a call that was used before is refused', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const used = toolCall({ server_name: 'files' });
    await shim.client.request('tool.call.begin', used);
    const handed = spoolOf(keyOf(shim, pushed), [
      headBody(pushed),
      beginBody(pushed, { call_id: used.call_id }),
    ]);
    expect(reason(await shim.back(handed))).toBe('used_id');
    expect(await verified(world)).toBe('ok');
  });
});

describe('a spool in the home', () => {
  /** Puts a spool where a shim of a process leaves it. */
  function leave(world: TestGateway, shim: HandShim, handed: Handed, owner: string): void {
    const folder = join(world.paths.awayDir, shim.runId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { head } = shim.snapshot();
    writeFileSync(join(folder, `${head.id}.${owner}`), handed.text, { mode: 0o600 });
  }
  const left = (world: TestGateway): string[] =>
    readdirSync(world.paths.awayDir, { recursive: true }).map(String);
  const GONE = `${NOBODY.pid}-${NOBODY.start}`;

  it('of a shim that is gone is taken in by the next start, its open calls as interrupted', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const [one, two] = [beginBody(pushed), beginBody(pushed)];
    const bodies = [headBody(pushed, NOBODY), one, endBody(pushed, one.call_id), two];
    const handed = spoolOf(keyOf(shim, pushed), bodies);
    leave(world, shim, handed, GONE);
    await world.restart();
    expect(spoolRows(world, shim.runId)).toMatchObject([
      { code: 'success', from: 'folder', calls: 2, open: 1 },
    ]);
    expect(world.rows('tool_call_end').map(({ code }) => code)).toEqual(['OK', 'ERROR']);
    expect(left(world).filter((name) => name.includes(pushed.head.id))).toEqual([]);
    await shim.back();
    expect(await readsLeft(shim)).toBe(3);
    expect(await verified(world)).toBe('ok');
  });

  it('of a shim that lives is left to it', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const me = processIdentity(process.pid);
    const handed = spoolOfReads(shim, 1);
    leave(world, shim, handed, `${me?.pid}-${me?.start}`);
    await world.restart();
    expect(spoolRows(world, shim.runId)).toEqual([]);
    expect(await shim.back(handed)).toMatchObject({ status: 'success' });
    expect(testimonies(world)).toBe(1);
  });

  it('is taken in when another shim of the run comes, and at the latest before the run ends', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    leave(world, shim, spoolOfReads(shim, 1, NOBODY), GONE);
    await handShim(world, shim);
    await expect.poll(() => testimonies(world)).toBe(1);

    const me = processIdentity(process.pid);
    await shim.back();
    leave(world, shim, spoolOfReads(shim, 1), `${me?.pid}-${me?.start}`);
    const operator = await world.operator();
    await operator.request('run.end', { run_id: shim.runId, status: 'SUCCEEDED' });
    expect(testimonies(world)).toBe(2);
    expect(left(world)).toEqual([]);
    expect(await verified(world)).toBe('ok');
  });

  it('of a run that has ended is told of and charged to nobody', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 2);
    const operator = await world.operator();
    await operator.request('run.end', { run_id: shim.runId, status: 'SUCCEEDED' });
    leave(world, shim, handed, GONE);
    await world.restart();
    await expect.poll(() => left(world)).toEqual([]);
    expect(spoolRows(world, null)).toMatchObject([{ reason: 'run_ended', of_run: shim.runId, readable: 2 }]);
  });

  it('beyond what a start takes in is charged before any other call of its run is decided', async () => {
    const world = await start({ policy: POLICY });
    const [full, shim] = [await handShim(world), await handShim(world)];
    const handed = spoolOfReads(shim, 3, NOBODY);
    for (let at = 0; at < 64; at += 1) leave(world, full, { ...handed, text: 'none\n' }, `${GONE}${at}`);
    leave(world, shim, handed, GONE);
    await world.restart();
    await shim.back();
    const answers: (string | undefined)[] = [];
    const isOver = (): boolean => answers.some((code) => code !== undefined && code !== 'overloaded');
    while (!isOver()) {
      const answer = await shim.client.request('tool.call.begin', toolCall({ server_name: 'files' }));
      answers.push(answer.error?.code);
    }
    expect(answers.filter((code) => code === undefined)).toHaveLength(2);
    await expect.poll(() => left(world).filter((name) => name.includes('.'))).toEqual([]);
    expect(await verified(world)).toBe('ok');
  });

  it('that was broken behind its first line is charged to its run, and one that never was its own is not', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const other = await handShim(world);
    const good = spoolOfReads(shim, 2, NOBODY);
    leave(world, shim, { ...good, text: good.text.replace('"bytes_in":40', '"bytes_in":41') }, GONE);
    leave(
      world,
      other,
      spoolOf(randomBytes(32), [headBody(other.snapshot(), NOBODY), beginBody(other.snapshot())]),
      GONE,
    );
    await world.restart();
    expect(spoolRows(world, shim.runId)).toMatchObject([{ code: 'error', reason: 'bad_mac', charged: 2 }]);
    expect(spoolRows(world, other.runId)).toMatchObject([
      { code: 'rejected', reason: 'bad_mac', charged: 0 },
    ]);
    await shim.back();
    await other.back();
    expect(await readsLeft(shim)).toBe(3);
    expect(await readsLeft(other)).toBe(5);
  });
});

describe('a policy that changes while nobody is there', () => {
  it('and looks at other arguments charges what they may have cost', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 3);
    await world.gateway.stop('test');
    const changed = POLICY.replace(
      "match: { tool_name: { glob: ['read_*'] } }\n    effect: { budget",
      'match: { args: { has_keys: [depth] } }\n    effect: { budget',
    );
    expect(changed).not.toBe(POLICY);
    writeFileSync(world.paths.policy, changed, { mode: 0o600 });
    await world.restart();
    await shim.back(handed);
    const left = [];
    for (let n = 0; n < 4; n += 1) {
      const call = toolCall({ server_name: 'files', args: { depth: n } });
      left.push((await shim.client.request('tool.call.begin', call)).status);
    }
    expect(left).toEqual(['success', 'success', 'error', 'error']);
  });

  it('is the one that what was done is charged by', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 3);
    await world.gateway.stop('test');
    writeFileSync(
      world.paths.policy,
      POLICY.replace('limit_calls: 5', 'limit_calls: 4').replace('1.0.0', '1.0.1'),
      {
        mode: 0o600,
      },
    );
    await world.restart();
    expect(await shim.back(handed)).toMatchObject({ status: 'success', data: { calls: 3 } });
    expect(await readsLeft(shim)).toBe(1);
    const [row] = world.rows('tool_call_decision');
    expect(row?.data['policy']).toMatchObject({ policy_version: '1.0.0' });
  });
});

describe('a spool that cannot be recorded', () => {
  it('is brought again, and charged once', async () => {
    let broken = false;
    const world = await start({
      policy: POLICY,
      wrapLedger: between(async (group, next) => {
        if (broken && group.entries.some(({ type }) => type === 'spool_ingested')) throw new Error('no room');
        return next();
      }),
    });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 3);
    broken = true;
    const answer = await shim.back(handed);
    expect(answer).toMatchObject({ status: 'error', error: { code: 'audit_unavailable' } });
    expect(answer.data).toBeUndefined();
    broken = false;
    expect(await shim.back(handed)).toMatchObject({ status: 'success', data: { calls: 3 } });
    expect(testimonies(world)).toBe(3);
    expect(await readsLeft(shim)).toBe(2);
    expect(await verified(world)).toBe('ok');
  });

  it('because its run brings too many is not looked at, and says nothing of what became of it', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const handed = spoolOfReads(shim, 1);
    const answers = [];
    for (let n = 0; n < 140; n += 1) answers.push(await ingest(shim, handed));
    const refused = answers.filter(({ error }) => error?.code === 'overloaded');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ data }) => data)).toEqual(refused.map(() => undefined));
    expect(testimonies(world)).toBe(1);
  });
});

describe('a snapshot', () => {
  it('is given to a shim that began, with what its run has left, and followed by what is charged', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const { head, body, key } = shim.snapshot();
    expect(head).toMatchObject({ v: 1, run_id: shim.runId, shim_id: shim.shimId, server_name: 'files' });
    expect(Number(head['expires_ms']) - head.issued_ms).toBe(300_000);
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(JSON.parse(body)).toMatchObject({ shares: 1, only: null, identity: { agent_id: 'agent' } });
    shim.pushes.splice(0);
    await readsLeft(shim, 1);
    expect(shim.pushes).toMatchObject([{ type: 'snapshot_charged', id: head.id }]);
  });

  it('says which tools may be called and what they add to themselves, and again when that changes', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const lister = new Lister(shim.client, 'files', { shim: shim.shimId });
    const [read, other] = [tool('read_file'), tool('read_other', { annotations: { destructiveHint: true } })];
    const shown = (): unknown => JSON.parse(shim.snapshot().body);
    await lister.seen([read, other]);
    expect(shown()).toMatchObject({
      only: ['read_file', 'read_other'],
      raised: { read_other: expect.anything() },
    });
    await lister.seen([read, { ...other, description: 'something else' }], { epoch: 1 });
    expect(shown()).toMatchObject({ only: ['read_file'] });
    shim.pushes.splice(0);
    await lister.seen([read, { ...other, description: 'something else' }], { epoch: 2 });
    expect(shim.pushes).toEqual([]);
  });

  it('tells each shim of a run how many share what is left', async () => {
    const world = await start({ policy: POLICY });
    const one = await handShim(world);
    const two = await handShim(world, one);
    await expect.poll(() => JSON.parse(one.snapshot().body)).toMatchObject({ shares: 2 });
    expect(JSON.parse(two.snapshot().body)).toMatchObject({ shares: 2 });
    expect(two.snapshot().head.id).not.toBe(one.snapshot().head.id);
  });

  it('is taken back when the policy does not want it any more, and given when it does', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const operator = await world.operator();
    const { head } = shim.snapshot();
    for (const [wanted, expected] of [
      ['false', [{ type: 'snapshot_dropped', id: head.id }]],
      ['true', [{ type: 'snapshot' }]],
    ] as const) {
      shim.pushes.splice(0);
      const text = POLICY.replace('fail_open_read_tools: true', `fail_open_read_tools: ${wanted}`);
      writeFileSync(world.paths.policy, text, { mode: 0o600 });
      await operator.request('policy.reload', {});
      await expect.poll(() => shim.pushes).toMatchObject(expected);
    }
  });

  it('is given to nobody where the policy does not say so', async () => {
    const world = await start({
      policy: POLICY.replace('fail_open_read_tools: true', 'fail_open_read_tools: false'),
    });
    const shim = await handShim(world);
    await shim.back();
    expect(shim.pushes).toEqual([]);
  });

  it('is nothing that the operator or an enrolment could ask for', async () => {
    const world = await start({ policy: POLICY });
    const operator = await world.operator();
    const answer = await operator.request('spool.ingest', { shim_id: 'shim-1', server_name: 'files' });
    expect(answer).toMatchObject({ status: 'error', error: { code: 'not_permitted' } });
    after(() => operator.close());
  });
});

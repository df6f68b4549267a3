import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { Decision, isJsonObject, RunOpened, type Credential } from '@subluminal/core-types';
import { connectGateway, processIdentity, type GatewayClient } from '@subluminal/ipc';
import { openLedgerReader, verifyLedger, type LedgerRow } from '@subluminal/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayHome } from '../support/gateway-home.js';
import { runBegin, toolEnd } from './harness.js';
import { bucket, budget, bundle, dedupe, deny } from './policy-bundle.js';

const isLong = process.env['SUB_LONG'] !== undefined;
/** Times that the gateway ends while calls are made. */
const KILLS = isLong ? 30 : 3;
const SPEND = 400;
const DRIP = { capacity: 12, refill_tokens: 3, refill_period_ms: 200 };
const POLICY = bundle([
  budget('spend', 'spend', SPEND),
  bucket('drip', 'drip', DRIP),
  dedupe('once', 'once', 3_600_000),
  deny('never', 'never'),
]);

let home: GatewayHome;
/** What the clients of a storm look at. */
let storm: { isOver: boolean };
beforeEach(() => {
  home = new GatewayHome(POLICY);
  storm = { isOver: false };
});
afterEach(async () => {
  storm.isOver = true;
  await home.remove();
});

/** Numbers that look like chance, the same for the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function openRun(): Promise<{ readonly id: string; readonly credential: Credential }> {
  const { run_id: id, credential } = RunOpened.parse(await home.ask('run.begin', runBegin()));
  return { id, credential };
}

function connect(credential: Credential): Promise<GatewayClient> {
  return connectGateway({ socketPath: home.paths.socket, credential, clock: Date.now });
}

/**
 * One connection with eight calls in flight, that comes back whenever the gateway does. A few calls get no
 * end, and half of the ends report an error. Nobody stops at a refusal.
 */
async function ask(connection: number, credential: Credential, heard: Map<string, number>): Promise<void> {
  const random = chance(connection + 1);
  let asked = 0;
  while (!storm.isOver) {
    const client = await connect(credential).catch(() => undefined);
    if (client === undefined) {
      await pause(20);
      continue;
    }
    const loop = async (): Promise<void> => {
      while (!storm.isOver) {
        asked += 1;
        const tool_name = ['spend', 'drip', 'once', 'never'][random(4)] ?? 'spend';
        const call_id = `storm-${connection}-${String(asked).padStart(8, '0')}`;
        const args = { n: random(40) };
        const begin = { call_id, shim_id: `shim-${connection}`, server_name: 'fs', tool_name, args };
        const answer = await client.request('tool.call.begin', {
          ...begin,
          transport: 'mcp_stdio',
          bytes_in: 10,
        });
        const data = answer.data ?? null;
        if (!isJsonObject(data)) continue;
        const { action } = Decision.parse(data['decision']);
        if (action === 'ALLOW') heard.set(tool_name, (heard.get(tool_name) ?? 0) + 1);
        if (action !== 'ALLOW' || random(10) === 0) continue;
        const failed = { status: 'ERROR', error: { class: 'upstream_error', message: 'no' } };
        await client.request('tool.call.end', toolEnd(call_id, random(2) === 0 ? failed : {}));
      }
    };
    await Promise.all(Array.from({ length: 8 }, () => loop().catch(() => undefined)));
    client.close();
  }
}

function allowedCalls(runId: string): LedgerRow[] {
  const reader = openLedgerReader(home.paths.ledgerDb);
  const rows: LedgerRow[] = [];
  for (let cursor: number | null = 0; cursor !== null;) {
    const page: ReturnType<typeof reader.byRun> = reader.byRun(runId, { order: 'asc', limit: 1000, cursor });
    rows.push(...page.rows.filter(({ type, code }) => type === 'tool_call_decision' && code === 'ALLOW'));
    cursor = page.next;
  }
  reader.close();
  return rows;
}

const ofTool = (rows: readonly LedgerRow[], name: string): LedgerRow[] =>
  rows.filter(({ tool }) => Array.isArray(tool) && tool[1] === name);

/** The most that the bucket may give in `ms`, and one for what a millisecond rounds. */
const fromBucket = (ms: number): number =>
  DRIP.capacity + (ms * DRIP.refill_tokens) / DRIP.refill_period_ms + 1;

describe('limits under 32 calls at once, with a gateway that is killed and stopped again and again', () => {
  it('are never exceeded, and take no more than what was used', async () => {
    await home.start();
    const { id, credential } = await openRun();
    const heard = new Map<string, number>();
    const clients = [0, 1, 2, 3].map((connection) => ask(connection, credential, heard));
    const random = chance(7);
    for (let n = 0; n < KILLS; n += 1) {
      await pause(150 + random(350));
      await home.endGateway(n % 3 === 2 ? 'SIGTERM' : 'SIGKILL');
      await home.start();
    }
    await expect.poll(() => ofTool(allowedCalls(id), 'spend').length, { timeout: 60_000 }).toBe(SPEND);
    await pause(300);
    storm.isOver = true;
    await Promise.all(clients);
    const allowed = allowedCalls(id);
    expect(ofTool(allowed, 'spend')).toHaveLength(SPEND);
    expect(heard.get('spend')).toBeLessThanOrEqual(SPEND);
    expect(ofTool(allowed, 'never')).toEqual([]);
    const once = ofTool(allowed, 'once').map(({ data }) => JSON.stringify(data['call']));
    const hashes = once.map((text) => /"args_hash":"([0-9a-f]+)"/.exec(text)?.[1]);
    expect(hashes.length).toBeGreaterThan(30);
    expect(new Set(hashes).size).toBe(hashes.length);
    const drips = ofTool(allowed, 'drip').map(({ ts }) => ts);
    expect(drips.length).toBeGreaterThan(DRIP.capacity);
    for (const [at, from] of drips.entries()) {
      for (let to = at; to < drips.length; to += 1) {
        expect(to - at + 1).toBeLessThanOrEqual(fromBucket((drips[to] ?? from) - from));
      }
    }
    await home.endGateway('SIGTERM');
    expect((await verifyLedger(home.paths.ledgerDb, {})).finding).toBeNull();
  }, 120_000);
});

describe('an agent that wants more than it has', () => {
  /** Uses the budget up and tells how many calls it got. */
  async function use(credential: Credential, asked: number, status = 'OK'): Promise<number> {
    const client = await connect(credential);
    let got = 0;
    for (let n = 0; n < asked; n += 1) {
      calls += 1;
      const call_id = `greed-${String(calls).padStart(8, '0')}`;
      const call = { call_id, shim_id: 'shim', server_name: 'fs', tool_name: 'spend', args: { calls } };
      const begun = await client.request('tool.call.begin', { ...call, transport: 'mcp_stdio', bytes_in: 1 });
      if (begun.status !== 'success') continue;
      got += 1;
      const error = { class: 'upstream_error', message: 'no' };
      await client.request('tool.call.end', toolEnd(call_id, status === 'OK' ? {} : { status, error }));
    }
    const never = { call_id: `never-${String((calls += 1)).padStart(8, '0')}`, shim_id: 'shim' };
    const denied = { ...never, server_name: 'fs', tool_name: 'never', args: {} };
    const answer = await client.request('tool.call.begin', {
      ...denied,
      transport: 'mcp_stdio',
      bytes_in: 1,
    });
    expect(answer.error?.code).toBe('policy_blocked');
    client.close();
    return got;
  }
  let calls = 0;
  const small = bundle([budget('spend', 'spend', 10), deny('never', 'never')]);
  const attacks: readonly (readonly [string, () => Promise<void> | void])[] = [
    ['deletes the policy', () => rmSync(home.paths.policy)],
    ['breaks the policy', () => appendFileSync(home.paths.policy, '\n{{{')],
    ['empties the policy', () => writeFileSync(home.paths.policy, '')],
    ['kills the gateway', () => home.endGateway('SIGKILL')],
    ['stops the gateway', () => home.endGateway('SIGTERM')],
    [
      'deletes the policy and kills the gateway',
      async () => {
        rmSync(home.paths.policy);
        await home.endGateway('SIGKILL');
      },
    ],
    [
      'breaks the policy and kills the gateway',
      async () => {
        writeFileSync(home.paths.policy, 'rules: []', { mode: 0o600 });
        await home.endGateway('SIGKILL');
      },
    ],
  ];

  it.each(attacks)('and %s has none of it back, and no rule less', async (_what, attack) => {
    writeFileSync(home.paths.policy, small, { mode: 0o600 });
    await home.start();
    const { id, credential } = await openRun();
    expect(await use(credential, 6)).toBe(6);
    await attack();
    await home.start();
    await home.ask('policy.reload').catch(() => undefined);
    expect(await use(credential, 6)).toBe(4);
    await attackAgain(attack);
    expect(await use(credential, 6)).toBe(0);
    expect(ofTool(allowedCalls(id), 'spend')).toHaveLength(10);
  });

  async function attackAgain(attack: () => Promise<void> | void): Promise<void> {
    try {
      await attack();
    } catch (error) {
      // The file is gone already.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
    await home.start();
  }

  it('and reports an error for every call has none of it back', async () => {
    writeFileSync(home.paths.policy, small, { mode: 0o600 });
    await home.start();
    const { credential } = await openRun();
    expect(await use(credential, 20, 'ERROR')).toBe(10);
    expect(await use(credential, 5, 'TIMEOUT')).toBe(0);
    expect(await use(credential, 5, 'CANCELLED')).toBe(0);
  });

  it('and calls itself another in another environment is judged as what it was opened as', async () => {
    writeFileSync(home.paths.policy, small, { mode: 0o600 });
    await home.start();
    const { id, credential } = await openRun();
    expect(await use(credential, 11)).toBe(10);
    const client = await connect(credential);
    const again = { ...runBegin({ agent_id: 'other', env: 'dev' }), holder: processIdentity(process.pid) };
    expect((await client.request('run.begin', again)).error?.code).toBe('not_permitted');
    client.close();
    expect(ofTool(allowedCalls(id), 'spend')).toHaveLength(10);
  });
});

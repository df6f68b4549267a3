import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActionResponse, isJsonObject, type JsonObject, SublError } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOLDER, snapshotEvent } from '../../testing/snapshot-event.js';
import { type CallEnd, type ToolCall, UninspectedArgs } from '@subluminal/agent';
import { type Ask, AwayGuard } from './guard.js';

let folder: string;
let said: string[];
let looked: string[];
let delivered: string[];
let guards: AwayGuard[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'away-'));
  said = [];
  looked = [];
  delivered = [];
  guards = [];
});
afterEach(() => {
  for (const guard of guards) guard.close();
  rmSync(folder, { recursive: true });
});

const ENDED: CallEnd = { status: 'OK', latency_ms: 3, bytes_out: 12, preview: { truncated: false } };
const READ: ToolCall = {
  server_name: 'files',
  tool_name: 'read_file',
  args: { path: '/tmp/a' },
  bytes_in: 40,
  transport: 'mcp_stdio',
  call_context: undefined,
};

function guardOf(more: { readonly holdsSecret?: (text: string) => boolean } = {}): AwayGuard {
  const guard = new AwayGuard({
    ...HOLDER,
    panicMark: join(folder, 'panicked'),
    folder: join(folder, 'away', HOLDER.runId),
    clock: () => 1_000_000,
    monotonic: () => 5000,
    log: (line) => said.push(line),
    ...more,
  });
  guard.connectWith({ watch: () => looked.push('begin'), unwatch: () => looked.push('end') }, (callId) =>
    delivered.push(callId),
  );
  guards.push(guard);
  return guard;
}

/** A gateway that answers with what it is given, and keeps what it was asked. */
function gateway(...answers: readonly (Partial<ActionResponse> | SublError)[]): {
  ask: Ask;
  asked: JsonObject[];
} {
  const asked: JsonObject[] = [];
  const left = [...answers];
  return {
    asked,
    ask: (action, payload) => {
      asked.push({ action, ...(payload as JsonObject) });
      const answer = left.shift() ?? {};
      if (answer instanceof SublError) return Promise.reject(answer);
      return Promise.resolve({
        requestId: 'r',
        timestamp: '2026-01-01T00:00:00.000Z',
        status: 'success',
        auditRef: '',
        signature: '',
        ...answer,
      });
    },
  };
}

const files = (): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

/** A guard whose gateway has gone behind its first connection, with one read that was made since. */
async function alone(): Promise<{ guard: AwayGuard; callId: string }> {
  const guard = guardOf();
  await guard.introduce(gateway().ask);
  guard.onPush(snapshotEvent());
  const callId = await guard.decide(READ, 'asked-0001');
  if (callId === undefined) throw new Error('the read was refused');
  return { guard, callId };
}

describe('a guard', () => {
  it('without a snapshot lets nothing through, and has nothing to say but that it is back', async () => {
    const guard = guardOf();
    const first = gateway();
    await guard.introduce(first.ask);
    expect(first.asked).toEqual([]);
    guard.onPush({ type: 'run_ended' });
    guard.onPush({ type: 'snapshot_charged', id: 'x', charge: [], ts: 1 });
    expect(await guard.decide(READ, 'asked-0001')).toBeUndefined();
    expect(guard.patience).toBeUndefined();
    const second = gateway();
    await guard.introduce(second.ask);
    expect(second.asked).toEqual([{ action: 'spool.ingest', shim_id: 'shim-1', server_name: 'files' }]);
  });

  it('lets reads through in the order in which it heard of the snapshot, and nothing that was not inspected', async () => {
    const guard = guardOf();
    guard.onPush(snapshotEvent());
    expect(
      await guard.decide({ ...READ, args: new UninspectedArgs('ab'.repeat(32), 9, undefined) }, 'asked-0001'),
    ).toBe(undefined);
    expect(await guard.decide(READ, 'asked-0001')).toMatch(/^[A-Za-z0-9_-]{16}$/);
    expect(guard.patience).toEqual({ timeoutMs: 10_000 });
  });

  it('lets nothing through for a run that has ended, though no gateway answers', async () => {
    const { guard } = await alone();
    guard.onPush({ type: 'run_ended', run_id: 'run-1', status: 'SUCCEEDED' });
    expect(await guard.decide(READ, 'asked-0002')).toBeUndefined();
  });

  it('says why a snapshot cannot be used, and goes on without one', async () => {
    const guard = guardOf();
    guard.onPush({ ...snapshotEvent(), signature: 'none' });
    expect(await guard.decide(READ, 'asked-0001')).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('cannot be believed')]);
  });

  it('hands over what it did and forgets it, and the snapshot before it is void', async () => {
    const { guard, callId } = await alone();
    const back = gateway({ data: { outcome: 'ingested', calls: 1 } });
    await guard.introduce(back.ask);
    expect(back.asked).toMatchObject([{ spool: { lines: 2, calls: 1 } }]);
    expect(files()).toBe(0);
    expect(guard.end(callId, ENDED)).toBe(false);
    expect(await guard.decide(READ, 'asked-0002')).toBeUndefined();
    const again = gateway();
    await guard.introduce(again.ask);
    expect(again.asked.map(({ spool }) => spool)).toEqual([undefined]);
  });

  it('has a gateway looked for from the first call that it lets through until one has what it did', async () => {
    const { guard } = await alone();
    await guard.decide(READ, 'asked-0002');
    expect(looked).toEqual(['begin']);
    await expect(guard.introduce(gateway(new SublError('overloaded', 'no')).ask)).rejects.toThrow('no');
    expect(looked).toEqual(['begin']);
    await guard.introduce(gateway({ data: { outcome: 'ingested', calls: 2 } }).ask);
    expect(looked).toEqual(['begin', 'end']);
  });

  it.each([
    ['does not answer', new SublError('gateway_unreachable', 'gone')],
    ['cannot record it', { status: 'error', error: { code: 'audit_unavailable', message: 'no' } } as const],
    ['has no time for it', { status: 'error', error: { code: 'overloaded', message: 'no' } } as const],
  ])('keeps what it did where the gateway %s', async (_, answer) => {
    const { guard, callId } = await alone();
    await expect(guard.introduce(gateway(answer).ask)).rejects.toThrow(/gone|no/);
    expect(guard.end(callId, ENDED)).toBe(true);
    expect(files()).toBe(1);
    const back = gateway({ data: { outcome: 'ingested', calls: 1 } });
    await guard.introduce(back.ask);
    expect(back.asked).toMatchObject([{ spool: { lines: 3, calls: 1 } }]);
    expect(delivered).toEqual([]);
  });

  it.each(['refused', 'replayed'])(
    'forgets what it did where the gateway says that it is %s',
    async (outcome) => {
      const { guard } = await alone();
      const back = gateway({
        status: 'error',
        error: { code: 'invalid_request', message: 'no' },
        data: { outcome },
      });
      await guard.introduce(back.ask);
      expect(files()).toBe(0);
      expect(said.at(-1)).toContain('refused');
    },
  );

  it('tells the gateway of an end that came while what it did was on its way', async () => {
    const { guard, callId } = await alone();
    let answer: (response: ActionResponse) => void = () => undefined;
    const introduced = guard.introduce((action, payload) => {
      expect(action).toBe('spool.ingest');
      expect(isJsonObject(payload as JsonObject)).toBe(true);
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(guard.end(callId, ENDED)).toBe(true);
    answer({ ...(await gateway().ask('', {})), data: { outcome: 'ingested', calls: 1 } });
    await introduced;
    expect(delivered).toEqual([callId]);
  });

  it('that is closed lets nothing through', async () => {
    const { guard } = await alone();
    guard.close();
    expect(await guard.decide(READ, 'asked-0002')).toBeUndefined();
    expect(files()).toBe(1);
  });
});

it('decides nothing alone whose arguments hold what may stand in no file', async () => {
  const guard = guardOf({ holdsSecret: (text) => text.includes('geheim-4711') });
  guard.onPush(snapshotEvent());
  expect(await guard.decide({ ...READ, args: { path: '/tmp/geheim-4711' } }, 'asked-0001')).toBeUndefined();
  expect(await guard.decide(READ, 'asked-0002')).toEqual(expect.any(String));
});

it('decides nothing alone while everything is stopped, also where no gateway could tell it so', async () => {
  const guard = guardOf();
  guard.onPush(snapshotEvent());
  expect(await guard.decide(READ, 'asked-01')).toBeDefined();
  writeFileSync(join(folder, 'panicked'), '');
  expect(await guard.decide(READ, 'asked-02')).toBeUndefined();
  rmSync(join(folder, 'panicked'));
  symlinkSync('/nonexistent', join(folder, 'panicked'));
  expect(await guard.decide(READ, 'asked-03')).toBeUndefined();
});

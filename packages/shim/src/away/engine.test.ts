import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { canonicalize, type JsonObject, snapshotSigningKey } from '@subluminal/core-types';
import { chargeData, decide, PolicyState } from '@subluminal/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiled, HOLDER, IDENTITY, snapshotEvent } from '../../testing/snapshot-event.js';
import { AwayEngine } from './engine.js';
import type { AskedCall } from './spool-bodies.js';

const ENDED = { status: 'OK', latency_ms: 3, bytes_out: 12, preview: { truncated: false } } as const;

let folder: string;
let now: number;
let age: number;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'away-'));
  now = 1_000_000;
  age = 5000;
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function engineOf(): AwayEngine {
  return new AwayEngine({
    ...HOLDER,
    panicMark: join(folder, 'panicked'),
    folder: join(folder, 'away', 'run-1'),
    clock: () => now,
    monotonic: () => age,
    log: (line) => said.push(line),
  });
}

const toolCall = ({ args = { path: '/tmp/a' }, tool_name = 'read_file' }: Asked = {}): AskedCall => ({
  asked: 'asked-0001',
  tool_name,
  args_text: canonicalize(args),
  bytes_in: 40,
});
interface Asked {
  readonly args?: unknown;
  readonly tool_name?: string;
}

const give = (engine: AwayEngine, event: JsonObject): void => engine.take(canonicalize(event));

function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('from a snapshot', () => {
  it.each([
    ['a read', {}, true],
    ['what is a write as well', { tool_name: 'read_and_write' }, false],
    ['a write', { tool_name: 'write_file' }, false],
    ['what no rule calls a read', { tool_name: 'list' }, false],
    ['a request of the protocol', { tool_name: 'mcp:read_' }, false],
    ['what a rule denies', { args: { path: '/etc/shadow' } }, false],
    [
      'what a rule looks at and cannot be kept because it is long',
      { args: { path: 'x'.repeat(129) } },
      false,
    ],
    [
      'what a rule looks at and looks like a credential',
      { args: { path: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' } },
      false,
    ],
    ['what a rule looks at and its name calls a secret', { args: { password: 'correct horse' } }, false],
    ['a secret that no rule looks at', { args: { token: 'correct horse' } }, true],
    ['what has no arguments that could be read', { args: [] }, false],
  ] as const)('%s is decided: %j', (_, call, may) => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    expect(engine.decide(toolCall(call)) !== undefined).toBe(may);
    expect(files()).toHaveLength(may ? 1 : 0);
  });

  it('reads go on until a limit of the policy is reached', () => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    const made = Array.from({ length: 8 }, () => engine.decide(toolCall())).filter(Boolean);
    expect(made).toHaveLength(4);
    expect(new Set(made).size).toBe(4);
  });

  it.each([
    [2, 2],
    [3, 1],
    [5, 0],
  ])('that %i shims share, each makes %i of four reads', (shares, each) => {
    const engine = engineOf();
    give(engine, snapshotEvent({ body: { shares } }));
    expect(Array.from({ length: 8 }, () => engine.decide(toolCall())).filter(Boolean)).toHaveLength(each);
  });

  it('what the gateway has charged meanwhile is gone, and what cannot be followed leaves none', () => {
    const engine = engineOf();
    const given = snapshotEvent();
    const { id } = given['head'] as { id: string };
    const [plain, state] = [compiled('guardrails'), PolicyState.empty()];
    const charges = Array.from({ length: 3 }, () => {
      const call = {
        server_name: 'files',
        tool_name: 'read_file',
        args: {},
        args_hash: 'ab',
        identity: IDENTITY,
      };
      const { charge } = decide(plain, state, call, 1_000_000);
      state.apply(charge, 1_000_000);
      return chargeData(charge);
    });
    give(engine, given);
    for (const charge of charges) give(engine, { type: 'snapshot_charged', id, charge, ts: 1_000_000 });
    give(engine, { type: 'snapshot_charged', id: 'of another', charge: charges[0] ?? null, ts: 1_000_000 });
    expect(engine.decide(toolCall())).toBeDefined();
    expect(engine.decide(toolCall())).toBeUndefined();

    const other = engineOf();
    give(other, given);
    expect(() => give(other, { type: 'snapshot_charged', id, charge: 'no charge', ts: 1 })).toThrow(
      'cannot be read',
    );
    expect(other.decide(toolCall())).toBeUndefined();
  });

  it.each([
    ['just before its end', { age: 299_999, now: 1_299_999 }, true],
    ['past its time, though the clock was set back', { age: 300_001, now: 0 }, false],
    ['past its time by a clock that was set on', { age: 10, now: 1_300_001 }, false],
  ])('nothing is decided %s otherwise than it should be', (_, later, may) => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    age += later.age;
    now = later.now;
    expect(engine.decide(toolCall()) !== undefined).toBe(may);
  });

  it('that says it holds for an hour, it is used for five minutes', () => {
    const engine = engineOf();
    give(engine, snapshotEvent({ head: { expires_ms: 4_600_000 } }));
    age += 300_001;
    expect(engine.decide(toolCall())).toBeUndefined();
  });

  it('in observe mode only what the rules allow is decided', () => {
    const engine = engineOf();
    give(engine, snapshotEvent({ mode: 'observe' }));
    expect(engine.decide(toolCall({ tool_name: 'write_file' }))).toBeUndefined();
    expect(engine.decide(toolCall({ args: { path: '/etc/shadow' } }))).toBeUndefined();
    expect(engine.decide(toolCall())).toBeDefined();
  });

  it('a tool that waits for the operator, or is raised by its own word, is not called', () => {
    const [held, raised, itself] = [engineOf(), engineOf(), engineOf()];
    give(held, snapshotEvent({ body: { only: ['read_other'] } }));
    give(raised, snapshotEvent({ body: { raised: { read_file: ['destructive'] } } }));
    give(itself, snapshotEvent({ body: { raised: { list: ['read_like'] } } }));
    expect(held.decide(toolCall())).toBeUndefined();
    expect(raised.decide(toolCall())).toBeUndefined();
    expect(itself.decide(toolCall({ tool_name: 'list' }))).toBeUndefined();
    expect(held.decide(toolCall({ tool_name: 'read_other' }))).toBeDefined();
  });
});

describe('a snapshot', () => {
  it.each([
    [
      'signed by somebody else, once one was believed',
      () => snapshotEvent({ key: snapshotSigningKey(randomBytes(32)) }),
    ],
    ['of another run', () => snapshotEvent({ head: { run_id: 'run-2' } })],
    ['of another shim', () => snapshotEvent({ head: { shim_id: 'shim-2' } })],
    ['of another server', () => snapshotEvent({ head: { server_name: 'mail' } })],
    [
      'whose policy is another one',
      () => snapshotEvent({ head: { policy: { policy_id: 'a', policy_version: '1', policy_hash: 'ab' } } }),
    ],
    [
      'whose content was changed',
      () => ({ ...snapshotEvent(), body: snapshotEvent({ body: { shares: 2 } })['body'] ?? '' }),
    ],
    ['whose time was changed', () => prolonged(snapshotEvent())],
    ['without a signature', () => ({ ...snapshotEvent(), signature: '' })],
    ['with a state that is none', () => snapshotEvent({ body: { state: { v: 'none' } } })],
    ['for no shim at all', () => snapshotEvent({ body: { shares: 0 } })],
  ])('%s is not believed, and takes the one before with it', (_, make) => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    expect(() => give(engine, make())).toThrow(/believed|cannot be read/);
    expect(engine.decide(toolCall())).toBeUndefined();
  });

  it('that is dropped decides nothing any more', () => {
    const engine = engineOf();
    const given = snapshotEvent();
    give(engine, given);
    give(engine, { type: 'snapshot_dropped', id: (given['head'] as { id: string }).id });
    expect(engine.decide(toolCall())).toBeUndefined();
  });
});

function prolonged(event: JsonObject): JsonObject {
  return { ...event, head: { ...(event['head'] as JsonObject), expires_ms: 9_000_000 } };
}

describe('what was done', () => {
  it('stands in a private file before the call is made, and in memory in the same words', () => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    const callId = engine.decide(toolCall()) ?? '';
    const [path = ''] = files();
    const handed = engine.handOver();
    expect(readFileSync(path, 'utf8')).toBe(handed?.text);
    expect(handed).toMatchObject({ lines: 2, calls: 1 });
    expect(engine.end(callId, ENDED)).toBe(true);
    engine.keep();
    expect(engine.handOver()).toMatchObject({ lines: 3, calls: 1 });
    expect(engine.handedOver()).toEqual([]);
    expect(files()).toEqual([]);
    expect(engine.handOver()).toBeUndefined();
    expect(engine.end(callId, ENDED)).toBe(false);
  });

  it.each([
    ['calls that have ended', true, 256],
    ['room for the ends of those that have not', false, 196],
  ])('takes no more than so many %s: the next one is refused', (_, ends, most) => {
    const engine = engineOf();
    give(engine, snapshotEvent({ limit: 4000 }));
    const made = Array.from({ length: 300 }, () => {
      const callId = engine.decide(toolCall());
      if (ends && callId !== undefined) engine.end(callId, ENDED);
      return callId;
    });
    expect(made.filter((callId) => callId !== undefined)).toHaveLength(most);
    const text = engine.handOver()?.text ?? '';
    expect(Buffer.byteLength(text)).toBeLessThan(524_288);
  });

  it('shows no secret of the arguments', () => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    expect(engine.decide(toolCall({ args: { token: 'correct horse battery' } }))).toBeDefined();
    const [path = ''] = files();
    expect(readFileSync(path, 'utf8')).toContain('args_preview');
    expect(readFileSync(path, 'utf8')).not.toContain('horse');
  });

  it('that cannot be written down is not done', () => {
    const engine = engineOf();
    give(engine, snapshotEvent());
    writeFileSync(join(folder, 'away'), 'a file where a folder should be');
    expect(engine.decide(toolCall())).toBeUndefined();
    expect(said.at(-1)).toContain('cannot be written down');
  });
});

import { createSecretKey, randomBytes } from 'node:crypto';
import { nextTurn, requestMac, WORLD_ACTIONS } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../base/logger.js';
import { Recorder } from '../recording/recorder.js';
import { RejectionBuckets } from '../pace/rejections.js';
import { type Call, LARGE_FRAME } from './call.js';
import type { CallerWorld } from './caller.js';
import { openPipeline, type ActionTable } from './pipeline.js';
import { FrameStream } from './frame-stream.js';
import { refuse, success } from './reply.js';
import { schemaStage } from './schema.js';
import { signatureStage } from './signature.js';
import type { Gate, Stage, StageName, StageResult } from './stage.js';
import type { Steps } from './steps.js';

const NAMES: readonly Stage['name'][] = [
  'allowlist',
  'rate-limit',
  'anomaly',
  'audit-pending',
  'execute',
  'audit-result',
];
const SPEAKS = { protocol: 3, version: '0.1.0' };
const NOW = 1_800_000_000_000;

/** The steps of an action that reaches nothing. */
const NOTHING: Steps = {
  whenStopped: 'refused',
  whenFull: 'refused',
  result: 'none',
  record: 'nothing',
  decide: () => 'pass',
  admit: () => 'pass',
  unusual: () => [],
  recorded: () => undefined,
  execute: () => success({}),
  concluded: () => 'pass',
  place: undefined,
  about: () => ({}),
};

/** A pipeline whose later stages only note that they ran; `at` answers for one of them. */
function pipelineWith(at?: StageName, result: (call: Call) => StageResult = () => 'pass') {
  const ran: StageName[] = [];
  const groups: AppendGroup[] = [];
  const watched = (gate: Gate): Gate => ({
    name: gate.name,
    run: (call) => {
      ran.push(gate.name);
      return gate.run(call);
    },
  });
  const noting = (name: Stage['name']): Stage => ({
    name,
    run: (call) => {
      ran.push(name);
      call.outcome = success({});
      return name === at ? result(call) : 'pass';
    },
  });
  const ledger: Pick<Ledger, 'append' | 'seenOutcome'> = {
    append: (group) => {
      groups.push(group);
      return Promise.resolve({
        ok: true,
        entries: group.entries.map((_, index) => ({ seq: index + 1, leaf: 'f'.repeat(64) })),
      });
    },
    seenOutcome: () => Promise.resolve(null),
  };
  const log = createLogger('error', []);
  const key = createSecretKey(randomBytes(32));
  const { frames } = openPipeline({
    gates: [schemaStage(SPEAKS), signatureStage].map(watched),
    stages: NAMES.map(noting),
    actions: { 'gateway.status': () => NOTHING } as unknown as ActionTable,
    ledger,
    recorder: new Recorder(ledger, log),
    late: { add: () => undefined },
    rejections: new RejectionBuckets(() => NOW),
    clock: () => NOW,
    log,
  });
  const run = (change: Record<string, unknown> = {}, world?: CallerWorld, behind = '') => {
    const request = {
      id: 'request-1',
      timestamp: new Date(NOW).toISOString(),
      action: 'gateway.status',
      payload: { speaks: SPEAKS },
    };
    const signature = requestMac(key, { seq: 1, ...request });
    const caller = {
      kind: 'operator',
      source: 'operator',
      run: undefined,
      world,
      session: undefined,
    } as const;
    const text = JSON.stringify({ ...request, source: 'operator', signature, ...change }) + behind;
    return frames.run(
      { caller, now: NOW, cut: () => undefined },
      { text, stream: new FrameStream(), verifyKey: key, seq: 1 },
    );
  };
  return { run, ran, groups };
}

describe('the pipeline', () => {
  it('runs its eight stages in their order', async () => {
    const { run, ran, groups } = pipelineWith();
    expect((await run()).status).toBe('success');
    expect(ran).toEqual([
      'schema',
      'signature',
      'allowlist',
      'rate-limit',
      'anomaly',
      'audit-pending',
      'execute',
      'audit-result',
    ]);
    expect(groups).toEqual([]);
  });

  it('decides what came in a large frame in a later turn than the one that reads it', async () => {
    const { run, ran } = pipelineWith();
    const asked = run({}, undefined, ' '.repeat(LARGE_FRAME));
    while (!ran.includes('signature')) await nextTurn();
    expect(ran).toEqual(['schema', 'signature']);
    await nextTurn();
    expect(ran).toContain('allowlist');
    expect((await asked).status).toBe('success');
  });

  it('refuses a large frame that is not JSON, and ends its connection', async () => {
    const { run } = pipelineWith();
    const reply = await run({}, undefined, `${' '.repeat(LARGE_FRAME)}x`);
    expect([reply.error?.code, reply.close]).toEqual(['invalid_json', true]);
  });

  it('runs nothing after the schema stage has refused', async () => {
    const { run, ran, groups } = pipelineWith();
    expect((await run({ payload: { extra: 1 } })).error?.code).toBe('invalid_request');
    expect(ran).toEqual(['schema']);
    expect(groups[0]?.entries[0]).toMatchObject({
      type: 'action_rejected',
      code: 'rejected',
      data: { stage: 'schema', error: { code: 'invalid_request' } },
    });
  });

  it('runs nothing after the signature stage has refused', async () => {
    const { run, ran, groups } = pipelineWith();
    const reply = await run({ action: 'gateway.stop' });
    expect([reply.error?.code, reply.close]).toEqual(['bad_signature', true]);
    expect(ran).toEqual(['schema', 'signature']);
    expect(groups[0]?.entries[0]).toMatchObject({
      type: 'action_rejected',
      data: { stage: 'signature', error: { code: 'bad_signature' } },
    });
  });

  it('takes nothing of the operator’s from inside of a world, whatever key was shown there', async () => {
    const { run, ran, groups } = pipelineWith();
    const reply = await run({}, { id: 'a-world', holder: { pid: 1, start: '1' } });
    expect(reply.error?.code).toBe('not_permitted');
    expect(ran).toEqual(['schema', 'signature']);
    expect(groups[0]?.entries[0]).toMatchObject({ type: 'action_rejected', data: { stage: 'signature' } });
    expect([...WORLD_ACTIONS]).toEqual([
      'tool.call.begin',
      'tool.call.end',
      'run.read',
      'upstream.begin',
      'upstream.end',
      'tools.listed',
      'secrets.release',
      'hook.event',
      'hook.context',
      'hook.routes',
      'message.dropped',
    ]);
  });

  it.each(NAMES)('runs nothing after the %s stage has refused, and records the reason', async (name) => {
    const { run, ran, groups } = pipelineWith(name, () => refuse('not_allowed', 'no'));
    const reply = await run();
    expect([reply.status, reply.error?.code, reply.auditRef]).toEqual([
      'error',
      'not_allowed',
      `1.${'f'.repeat(64)}`,
    ]);
    expect(ran.at(-1)).toBe(name);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.entries).toMatchObject([
      { type: 'action_rejected', data: { stage: name, error: { code: 'not_allowed' } } },
    ]);
  });

  it.each([
    ['rate-limit', 'failed'],
    ['audit-pending', 'failed'],
    ['execute', 'in_doubt'],
    ['audit-result', 'in_doubt'],
  ] as const)('refuses and records what breaks the %s stage, and runs nothing more', async (name, code) => {
    const { run, ran, groups } = pipelineWith(name, () => {
      throw new Error('disk is gone');
    });
    const reply = await run();
    expect([reply.status, reply.error?.code, reply.close]).toEqual(['error', code, false]);
    expect(JSON.stringify(reply)).not.toContain('disk is gone');
    expect(ran.at(-1)).toBe(name);
    expect(groups[0]?.entries).toMatchObject([
      { type: 'action_rejected', data: { stage: name, error: { code } } },
    ]);
  });

  it("claims the request id with a refusal only once the request is known to be its caller's", async () => {
    const early = pipelineWith();
    await early.run({ signature: 'A'.repeat(43) });
    expect(early.groups[0]?.seen).toBeUndefined();
    const later = pipelineWith('allowlist', () => refuse('not_allowed', 'no'));
    await later.run();
    expect(later.groups[0]?.seen).toEqual({ runId: null, id: 'request-1' });
  });

  it('goes back to the allowlist, and no further, when a stage says so', async () => {
    const results: StageResult[] = ['again', 'pass'];
    const { run, ran } = pipelineWith('execute', () => results.shift() ?? 'pass');
    expect((await run()).status).toBe('success');
    expect(ran.join(' ')).toBe(
      'schema signature allowlist rate-limit anomaly audit-pending execute ' +
        'allowlist rate-limit anomaly audit-pending execute audit-result',
    );
  });

  it('records an unusual request however many refusals stand before it', async () => {
    const flag = { kind: 'new_domain', reaction: 'flag', summary: 'first request', facts: {} } as const;
    let isUnusual = false;
    const { run, groups } = pipelineWith('audit-pending', (call) => {
      if (isUnusual) call.flags = [flag];
      return refuse('not_allowed', 'no');
    });
    for (let count = 0; count < 60; count += 1) await run();
    expect(groups).toHaveLength(40);
    isUnusual = true;
    await run();
    expect(groups.slice(40).map(({ entries }) => entries.map(({ type }) => type))).toEqual([['anomaly']]);
  });
});

import { textAt } from '@subluminal/core-types';
import { compilePolicy } from '@subluminal/policy';
import { type BoundRun, Run, type RunSession } from '@subluminal/gateway';
import { expect, it } from 'vitest';
import { Snapshots, type SnapshotsParts } from './snapshots.js';

const compiled = compilePolicy(
  JSON.stringify({
    policy_id: 'p',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK', fail_open_read_tools: true },
    selectors: {},
    rules: [],
  }),
  { format: 'json' },
);

/** Shims of two runs have a snapshot. */
function twoRuns(): {
  readonly told: (run?: BoundRun) => void;
  readonly bound: Set<BoundRun>;
  readonly runs: readonly [Run, Run];
  readonly pushed: string[];
  readonly stop: () => void;
} {
  if (!compiled.ok) throw new Error('the policy has a mistake');
  const pushed: string[] = [];
  const bound = new Set<BoundRun>();
  let told: (run?: BoundRun) => void = () => undefined;
  const parts: Record<keyof SnapshotsParts, unknown> = {
    keys: { sign: () => '', secretOf: () => '', publicText: '' },
    policy: { current: { snapshot: compiled.snapshot }, onChange: () => () => undefined },
    clock: () => 1,
    random: (length: number) => new Uint8Array(length),
    log: {},
    projects: {
      of: (run: BoundRun) => (bound.has(run) ? [{}] : []),
      onChange: (listener: typeof told) => {
        told = listener;
        return () => undefined;
      },
    },
    tools: { factsOf: () => ({ only: null, raised: {} }) },
    maxPreviewBytes: () => 1,
  };
  const snapshots = new Snapshots(parts as SnapshotsParts);
  const stop = snapshots.start();
  const runOf = (id: string): Run => {
    const session: RunSession = {
      push: (event) => void pushed.push(`${id} ${textAt(event, 'type')}`),
      end: () => undefined,
    };
    const identity = { agent_id: 'agent', client: 'custom', env: 'dev' } as const;
    const run = new Run({ id, identity, attested: true, holder: { pid: 1, start: '1' }, startedMs: 1 });
    run.sessions.add(session);
    snapshots.attach(run, { session, shimId: 's', serverName: 'n' });
    return run;
  };
  const runs = [runOf('a'), runOf('b')] as const;
  expect(pushed.splice(0)).toEqual(['a snapshot', 'b snapshot']);
  return { told: (run) => told(run), bound, runs, pushed, stop };
}

it('a run that a project binds loses its snapshot, and shims of others hear nothing', () => {
  const { told, bound, runs, pushed, stop } = twoRuns();
  bound.add(runs[0]);
  told(runs[0]);
  expect(pushed).toEqual(['a snapshot_dropped']);
  stop();
});

it('where any run may be bound, all are looked at', () => {
  const { told, bound, runs, pushed, stop } = twoRuns();
  bound.add(runs[1]);
  told();
  expect(pushed).toEqual(['a snapshot', 'b snapshot_dropped']);
  stop();
});

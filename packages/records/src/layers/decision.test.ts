import type { JsonObject } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { changedPaths, layerDecisionJson, layerDecisionOf } from './decision.js';

const row = (type: LedgerRow['type'], tool: string, data: JsonObject): LedgerRow => ({
  seq: 1,
  leaf: '0'.repeat(64),
  type,
  tool,
  data,
  ts: 0,
  runId: null,
  code: null,
  ref: null,
  runIndex: 0,
  requestId: null,
  blobs: {},
});

const layer = {
  layer_id: '1ec446e79e5a3d08',
  folder: '/p',
  run_id: 'run-1',
  plan_sha256: '0'.repeat(64),
  fs_diff: { added: 1, modified: 0, deleted: 0, paths: ['+ a'] },
  risky: ['Makefile'],
  risky_count: 1,
  left: [{ why: 'asks', count: 2 }],
};

describe('a decision on a layer', () => {
  it('tells by its plan as long as it has no end, and by its end then', () => {
    const first = row('action_pending', 'layer.commit', { layer });
    const open = layerDecisionOf({ first, last: null });
    expect(open).toMatchObject({ folder: '/p', left: [{ why: 'asks', count: 2 }], done: undefined });
    const end = { layer: { done: 1, left: [{ why: 'denied', count: 1 }], exit: 1, full: true } };
    const last = row('action_result', 'layer.commit', end);
    const done = layerDecisionOf({ first, last });
    expect(done === undefined ? undefined : layerDecisionJson(done)).toEqual({
      layer_id: '1ec446e79e5a3d08',
      folder: '/p',
      run_id: 'run-1',
      fs_diff: { added: 1, modified: 0, deleted: 0, paths: ['+ a'] },
      risky: ['Makefile'],
      risky_count: 1,
      overwrite: false,
      left: [{ why: 'denied', count: 1 }],
      done: 1,
      exit: 1,
      full: true,
      begun: null,
    });
  });

  it('names the paths that it is about, and says whether these are all', () => {
    const of = (fsDiff: JsonObject): object => {
      const data = { layer: { ...layer, fs_diff: fsDiff } };
      const decision = layerDecisionOf({ first: row('action_pending', 'layer.commit', data), last: null });
      return decision === undefined ? {} : changedPaths(decision);
    };
    expect(of(layer.fs_diff)).toEqual({ paths: ['a', 'Makefile'], isWhole: true });
    expect(of({ ...layer.fs_diff, deleted: 1 })).toMatchObject({ isWhole: false });
    expect(of({ ...layer.fs_diff, truncated: true })).toMatchObject({ isWhole: false });
  });

  it('is no other action, and no refusal of one', () => {
    const of = (type: LedgerRow['type'], tool: string) =>
      layerDecisionOf({ first: row(type, tool, { layer }), last: null });
    expect(of('action_pending', 'net.connect')).toBeUndefined();
    expect(of('action_rejected', 'layer.commit')).toBeUndefined();
  });
});

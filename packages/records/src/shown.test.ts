import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSublError, type JsonObject } from '@subluminal/core-types';
import {
  createLedger,
  openLedger,
  openLedgerReader,
  type LedgerReader,
  type EntryInput,
} from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runJson } from './runs/runs.js';
import { decisionsNamed, statusesNamed } from './words.js';
import { shown, shownJson } from './shown.js';
import { standingJson, standingOf } from './standing.js';

const RUN = '01JD0000000000000000000000';
const OVER = '01JD0000000000000000000001';
const T0 = 1_760_000_000_000;
let folder: string;
let path: string;
let reader: LedgerReader;

function entry(
  type: EntryInput['type'],
  runId: string,
  data: JsonObject,
  more: Partial<EntryInput> = {},
): EntryInput {
  return { type, ts: T0, runId, data, ...more };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'subl-shown-'));
  path = join(folder, 'ledger.db');
  const signingKey = generateKeyPairSync('ed25519').privateKey;
  const sealKeyPath = join(folder, 'seal');
  createLedger({ path, ledgerId: 'L1', createdMs: 1, version: '0.1.0', signingKey, sealKeyPath });
  const ledger = await openLedger({
    path,
    signingKey: { privateKey: signingKey },
    sealKeyPath,
    durability: 'process',
    segmentBytes: 1 << 30,
    clock: () => T0,
  });
  const tool = ['github', 'create_issue'] as const;
  const call = { call: { call_id: 'call-blocked', args_hash: 'a'.repeat(64) } };
  await ledger.append({
    entries: [entry('run_start', RUN, { agent_id: 'agent', client: 'codex', env: 'dev' })],
  });
  const decision = { ...call, decision: { action: 'BLOCK', rule_id: 'no-issues' } };
  await ledger.append({
    entries: [
      entry('tool_call_start', RUN, call, { tool }),
      entry('tool_call_decision', RUN, decision, { tool, code: 'BLOCK' }),
    ],
  });
  await ledger.append({ entries: [entry('run_start', OVER, { agent_id: 'other' })] });
  await ledger.append({
    entries: [entry('run_end', OVER, { run: { summary: { calls_total: 3 } } }, { code: 'FAILED' })],
  });
  await ledger.close();
  reader = openLedgerReader(path);
});
afterAll(() => {
  reader.close();
  rmSync(folder, { recursive: true });
});

describe('a name', () => {
  it('of a call stands for its record, with the entry that carries the audit reference', () => {
    const found = shown(reader, 'call-blocked');
    if (found.kind !== 'record') throw new Error(found.kind);
    expect(found.rows.map(({ type }) => type)).toEqual(['tool_call_start', 'tool_call_decision']);
    expect(found.bearing.type).toBe('tool_call_decision');
    expect(found).toMatchObject({ isLive: true, hint: undefined, flags: [] });
    expect(shownJson(reader, found)).toMatchObject({
      record: { call_id: 'call-blocked', decision: 'BLOCK', rule_id: 'no-issues' },
      hint: null,
      entries: [{ type: 'tool_call_start' }, { type: 'tool_call_decision' }],
    });
  });

  it('of an entry that belongs to no record stands for the entry alone', () => {
    const { rows } = reader.byRun(OVER, { limit: 1 });
    const found = shown(reader, String(rows[0]?.seq));
    expect(found).toMatchObject({ kind: 'entry', rows: [{ type: 'run_end' }] });
  });

  it.each([
    { name: 'that goes on', runId: RUN, facts: { status: 'RUNNING', calls_total: 1, calls_blocked: 1 } },
    {
      name: 'that has ended',
      runId: OVER,
      facts: { status: 'FAILED', calls_total: 3, ended_at: expect.any(String) },
    },
  ])('of a run $name stands for the run, by a part of it as well', ({ runId, facts }) => {
    for (const named of [runId, runId.slice(-24)]) {
      const found = shown(reader, named);
      if (found.kind !== 'run') throw new Error(found.kind);
      expect(runJson(found.run)).toMatchObject({ run_id: runId, ...facts });
    }
  });

  it.each(['nothing', `ing_${'0'.repeat(26)}`])('that stands for nothing is not found: %s', (named) => {
    let code = '';
    try {
      shown(reader, named);
    } catch (error) {
      code = isSublError(error) ? error.code : String(error);
    }
    expect(code).toBe('not_found');
  });
});

it('the standing of a ledger is what its file holds', () => {
  const standing = standingOf(reader, path);
  expect(standing).toMatchObject({ ledgerId: 'L1', entries: reader.size, mistake: null, anchor: null });
  expect(standing.bytes.ledger).toBeGreaterThan(0);
  expect(standingJson(standing)).toMatchObject({
    segments: 0,
    segments_hold: null,
    segments_missing: [],
    previews: { kept: 0, held_up_by: null },
  });
});

describe('a word of a search', () => {
  it('stands for decisions of the record, in capitals or not', () => {
    expect([...(decisionsNamed('block') ?? [])]).toEqual(['BLOCK', 'REJECT_WITH_HINT']);
    expect([...(decisionsNamed('Hinted') ?? [])]).toEqual(['REJECT_WITH_HINT']);
    expect(decisionsNamed('maybe')).toBeUndefined();
  });

  it('stands for the status of calls and of actions alike', () => {
    expect(statusesNamed('Error')).toEqual({ codes: new Set(['ERROR', 'error']) });
    expect(statusesNamed('Failed')).toEqual({ word: 'failed' });
    expect(statusesNamed('ALLOW')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { EntryInput } from './input.js';
import { prepareGroup } from './prepare.js';

const OPTIONS = { salts: { next: () => new Uint8Array(16) }, dropBlobs: false };
const base = { type: 'shim_health', ts: 1, runId: 'r', data: {} } as const;
const prepare = (...entries: EntryInput[]) => prepareGroup({ entries }, OPTIONS);
const refused = (code: string) => expect.objectContaining({ code });

describe('preparing a group', () => {
  it('commits to a blob by salted hash, length in bytes and state, ahead of all other data', () => {
    const group = { entries: [{ ...base, data: { A: 1 }, blobs: { preview: 'ä' } }] };
    const [kept] = prepareGroup(group, OPTIONS).entries;
    // The hash of sixteen NULs (the salt) and c3 a4.
    expect(kept?.data).toBe(
      '{"#blobs":{"preview":{"hash":"b43909a91b0166fc27e03ad36271b0f2ad760e35824a4a3bd4ad8fbe2b62fbac","len":2,"state":"present"}},"A":1}',
    );
    expect(kept?.blobs).toHaveLength(1);
    const [dropped] = prepareGroup(group, { ...OPTIONS, dropBlobs: true }).entries;
    expect(dropped?.data).toContain('"len":2,"state":"dropped:backpressure"');
    expect(dropped?.blobs).toEqual([]);
  });

  it('ties the request id to the first decision, pending or rejection, else to the last entry', () => {
    const seen = { runId: 'r', id: 'request-1' };
    const claims = (...entries: EntryInput[]) => prepareGroup({ entries, seen }, OPTIONS).seen?.entry;
    const start: EntryInput = { ...base, type: 'tool_call_start' };
    const decision: EntryInput = { ...base, type: 'tool_call_decision', code: 'BLOCK' };
    const end: EntryInput = { ...base, type: 'tool_call_end', code: 'ERROR' };
    expect(claims(start, decision, end)).toBe(1);
    expect(claims({ ...base, type: 'anomaly' }, { ...base, type: 'action_pending' })).toBe(1);
    expect(claims(base, base)).toBe(1);
  });

  it('names the run in the claim only where it is not the entry’s own', () => {
    const entry = { ...base, runId: null };
    const data = (runId: string | null) =>
      prepareGroup({ entries: [entry], seen: { runId, id: 'request-1' } }, OPTIONS);
    expect(data(null).entries[0]?.data).toBe('{"#seen":"request-1"}');
    expect(data('operator').entries[0]?.data).toBe('{"#seen":["operator","request-1"]}');
  });

  it('lets a decision and an end refer to the entry of their call before them', () => {
    const group = prepare(
      { ...base, type: 'tool_call_start' },
      { ...base, type: 'tool_call_start', runId: 's' },
      { ...base, type: 'tool_call_decision', code: 'BLOCK' },
      { ...base, type: 'tool_call_end', code: 'ERROR' },
    );
    expect(group.entries.map(({ ref }) => ref)).toEqual([null, null, { entry: 0 }, { entry: 2 }]);
  });

  it('refuses what the format cannot hold', () => {
    const wrong: readonly (readonly [EntryInput, string])[] = [
      [{ ...base, ts: 1.5 }, 'invalid_request'],
      [{ ...base, ts: -1 }, 'invalid_request'],
      [{ ...base, data: { '#seen': 'x' } }, 'invalid_request'],
      [{ ...base, data: { '#blobs': {} } }, 'invalid_request'],
      [{ ...base, data: { '': 1 } }, 'invalid_request'],
      [{ ...base, data: { '"': 1 } }, 'invalid_request'],
      [{ ...base, blobs: { 'Not a slot': '' } }, 'invalid_request'],
      [{ ...base, type: 'tool_call_end', ref: null }, 'invalid_request'],
      [{ ...base, type: 'action_result' }, 'invalid_request'],
      [{ ...base, data: { a: Number.NaN } }, 'not_canonical'],
      [{ ...base, data: { a: '\ud800' } }, 'not_canonical'],
      [{ ...base, runId: '\udc00' }, 'not_canonical'],
    ];
    for (const [entry, code] of wrong) expect(() => prepare(entry)).toThrow(refused(code));
    expect(() => prepare()).toThrow(refused('invalid_request'));
    expect(() => prepareGroup({ entries: [base], seen: { runId: 'r', id: 'a b' } }, OPTIONS)).toThrow(
      refused('invalid_request'),
    );
  });

  it('takes data of 63 levels, which with its body can be read again, and no more', () => {
    const nested = (levels: number): EntryInput['data'] => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect(prepare({ ...base, data: nested(63) }).entries).toHaveLength(1);
    expect(() => prepare({ ...base, data: nested(64) })).toThrow(refused('too_deep'));
  });
});

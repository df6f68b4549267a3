import { type AuditEntry, isJsonObject } from '@subluminal/core-types';
import fc from 'fast-check';
import { linkSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Actors } from '../../testing/honest/actors.js';
import { Chance } from '../../testing/honest/chance.js';
import { mergeFiles } from '../../testing/merged.js';
import { beginCall, endCall, fillRun, runEnd, runStart, Scratch } from '../../testing/scratch.js';
import { CODES, KINDS, isEntryType } from '../entry/kinds.js';
import {
  AuditTrail,
  openLedgerReader,
  type Ledger,
  type LedgerReader,
  type LedgerRow,
  type Page,
} from '../index.js';
import { LedgerFiles } from './files.js';

const SLOT = 'call.preview.args_preview';
const isLong = process.env['SUB_LONG'] !== undefined;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

const folder = (): string => join(scratch.folder, 'segments');
const closed = (): string[] => readdirSync(folder()).toSorted();

/** One life of the ledger, in a file of its own: every start goes on in another. */
async function inNextFile(work: (ledger: Ledger) => Promise<void>): Promise<void> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await work(ledger);
  await ledger.close();
}

/** Three files: a call begins in the first and ends in the third. */
async function fillThree(): Promise<void> {
  await inNextFile(async (ledger) => {
    await fillRun(ledger, 'run-a', 2);
    await ledger.append({ entries: [runEnd('run-a')] });
    await ledger.append({ entries: [runStart('run-b')] });
    await ledger.append(beginCall('run-b', 'call-b'));
  });
  await inNextFile((ledger) => fillRun(ledger, 'run-c', 2));
  await inNextFile(async (ledger) => {
    const [open] = ledger.danglingPendings();
    await ledger.append({ entries: [endCall('run-b', 'call-b', open?.seq ?? 0), runEnd('run-b')] });
  });
}

function withReader<T>(work: (reader: LedgerReader) => T, path = scratch.path): T {
  const reader = openLedgerReader(path);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
}

const seqs = (rows: readonly LedgerRow[]): number[] => rows.map(({ seq }) => seq);

/** All pages of a listing. */
function whole<T>(page: (cursor: number | null) => Page<T>): T[] {
  const rows: T[] = [];
  for (let cursor: number | null = null, first = true; first || cursor !== null; first = false) {
    const next: Page<T> = page(cursor);
    rows.push(...next.rows);
    cursor = next.next;
  }
  return rows;
}

function callId(data: LedgerRow['data']): string[] {
  const { call } = data;
  const id = call !== undefined && isJsonObject(call) ? call['call_id'] : undefined;
  return typeof id === 'string' ? [id] : [];
}

/** What a sweep finds, in one file or several. */
function swept(reader: LedgerReader, runIds: readonly string[], since: number): unknown {
  const { runs, actions, types } = reader.sweep({
    runIds,
    since,
    actions: ['service.api_call', 'service.none'],
    types: ['run_start', 'run_end'],
  });
  return { runs, actions, types };
}

/** Every question that a reader answers, over the names that occur. */
function answers(reader: LedgerReader): unknown {
  const all = whole((cursor) => reader.all({ cursor, limit: 7, order: 'asc' }));
  const runs = [...new Set(all.map(({ runId }) => runId))];
  const named = runs.filter((id) => id !== null);
  const tools = [...new Set(all.map(({ tool }) => JSON.stringify(tool)))].map((text) => JSON.parse(text));
  const requests = [...new Set(all.flatMap(({ requestId }) => requestId ?? []))];
  const calls = [...new Set(all.flatMap(({ data }) => callId(data)))].slice(0, 12);
  const times = all.map(({ ts }) => ts);
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const listings = (order: 'asc' | 'desc', limit: number): unknown => ({
    all: whole((cursor) => reader.all({ cursor, limit, order })),
    types: Object.keys(KINDS)
      .filter(isEntryType)
      .map((type) => whole((cursor) => reader.byType(type, { cursor, limit, order }))),
    codes: CODES.map(([, code]) => whole((cursor) => reader.byStatus(code, { cursor, limit, order }))),
    runs: runs.map((run) => whole((cursor) => reader.byRun(run, { cursor, limit, order }))),
    tools: tools.map((tool) =>
      whole((cursor) =>
        Array.isArray(tool)
          ? reader.byTool(tool[0], tool[1], { cursor, limit, order })
          : reader.byAction(String(tool), { cursor, limit, order }),
      ),
    ),
    times: whole((cursor) => reader.byTimeRange(low + 3, (low + high) / 2, { cursor, limit, order })),
    starts: whole((cursor) => reader.runs({ cursor, limit, order })),
  });
  return {
    size: reader.size,
    recent: reader.recent(5),
    tail: [1, 5, reader.size - 1, reader.size + 1].map((seq) => reader.tailFrom(seq, 9)),
    entries: [-1, 0, ...all.map(({ seq }) => seq), reader.size + 1, 1.5].map((seq) => reader.entry(seq)),
    referring: all.map(({ seq }) => reader.referring(seq)),
    events: all.map((row) => reader.toEvent(row)),
    blobs: all.map((row) => Object.keys(row.blobs).map((slot) => reader.blob(row.seq, slot))),
    previews: [
      [...reader.blobsBetween(1, reader.size, SLOT)],
      [...reader.blobsBetween(2, 7, SLOT)],
      [...reader.blobsBetween(7, 2, SLOT)],
    ],
    swept: swept(reader, named, (low + high) / 2),
    requests: [...requests, 'none'].map((id) => reader.byRequest(id)),
    seen: [...requests.slice(0, 9), 'none'].map((id) =>
      runs.slice(0, 9).map((run) => reader.seenOutcome(run, id)),
    ),
    calls: [...calls, 'none'].map((id) => reader.call(id)),
    kept: reader.keptPreviews(),
    expired: reader.expiredUpTo(),
    listings: [listings('asc', 50), listings('desc', 9)],
  };
}

describe('a ledger of several files', () => {
  it('answers every question as the same entries in one file do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000_000),
        fc.array(fc.nat(4), { minLength: 2, maxLength: 5 }),
        async (seed, lives) => {
          scratch.remove();
          scratch = new Scratch();
          scratch.create();
          const actors = new Actors(new Chance(seed), () => scratch.nowMs, { uniqueIds: true });
          for (const acts of lives) {
            const ledger = await scratch.open(acts === 4 ? {} : { segmentBytes: 1 });
            for (let act = 0; act < acts; act += 1) await actors.act(ledger);
            if (acts === 3) await ledger.expirePreviews(scratch.nowMs - 60);
            await ledger.close();
          }
          const one = mergeFiles(scratch.path, join(scratch.folder, 'one.db'));
          expect(withReader(answers)).toEqual(withReader(answers, one));
        },
      ),
      {
        numRuns: isLong ? 60 : 3,
        examples: [
          [812_543, [2, 4, 2, 3, 3]],
          [4, [2, 0]],
        ],
      },
    );
  }, 240_000);

  it('gives the previews of many entries at once as it gives each, and none of others', async () => {
    await fillThree();
    withReader((reader) => {
      const all = reader.all({ limit: 1000, order: 'asc' }).rows;
      const one = (row: LedgerRow): [number, string][] => {
        const text = reader.blob(row.seq, SLOT);
        return text === null ? [] : [[row.seq, text]];
      };
      const each = all.flatMap(one);
      expect(each.length).toBeGreaterThan(4);
      expect([...reader.blobsBetween(1, reader.size, SLOT)]).toEqual(each);
      const [from, to] = [each[1]?.[0] ?? 0, each[3]?.[0] ?? 0];
      expect([...reader.blobsBetween(from, to, SLOT)]).toEqual(each.slice(1, 4));
      expect(reader.blobsBetween(1, reader.size, 'none').size).toBe(0);
    });
  });

  it('outlines the kinds and decisions that are asked for, piece by piece, and no others', async () => {
    await fillThree();
    withReader((reader) => {
      const asked = { types: ['run_start', 'tool_call_start'], decisions: ['ALLOW'] } as const;
      const found: number[] = [];
      let [after, pieces] = [0, 0];
      for (;;) {
        const { rows, upto } = reader.outline({ ...asked, after, span: 3 });
        found.push(...rows.map(({ seq }) => seq));
        if (upto === after) break;
        expect(upto - after).toBeLessThanOrEqual(3);
        [after, pieces] = [upto, pieces + 1];
      }
      const all = reader.all({ limit: 1000, order: 'asc' }).rows;
      const wanted = all.filter(
        ({ code, type }) =>
          ['run_start', 'tool_call_start'].includes(type) ||
          (type === 'tool_call_decision' && code === 'ALLOW'),
      );
      expect(found).toEqual(seqs(wanted));
      expect(after).toBe(reader.size);
      expect(pieces).toBeGreaterThan(3);
      const none = reader.outline({ types: ['run_start'], decisions: [], after: 0, span: 1000 });
      expect(none.rows.every(({ type }) => type === 'run_start')).toBe(true);
      expect(none.rows[0]).toMatchObject({ runId: expect.stringContaining('run-') });
    });
  });

  it('has one audit trail', async () => {
    await inNextFile(async (ledger) => {
      const own = { ts: 1, runId: null, data: { pid: 1 } };
      await ledger.append({ entries: [{ type: 'gateway_start', ...own }] });
      await fillRun(ledger, 'run-a', 1);
    });
    await inNextFile(async (ledger) => {
      const flag = { kind: 'burst', summary: 'many' };
      await ledger.append({ entries: [{ type: 'anomaly', ts: 2, runId: null, data: flag }] });
      await ledger.append({ entries: [{ type: 'gateway_stop', ts: 3, runId: null, data: { pid: 1 } }] });
    });
    withReader((reader) => {
      const trail = [...new AuditTrail(reader, scratch.path).entries()];
      expect(trail.map(({ action, direction, status }) => [action, direction, status])).toEqual([
        ['gateway_start', 'response', 'success'],
        ['tool.call.begin', 'request', 'pending'],
        ['tool.call.end', 'response', 'success'],
        ['anomaly', 'response', 'success'],
        ['gateway_stop', 'response', 'success'],
      ]);
      const [start, begin] = trail;
      expect(start).toMatchObject({
        id: `1.${reader.entry(1)?.leaf}`,
        request_id: null,
        metadata: { pid: 1 },
      });
      expect(begin?.request_id).not.toBeNull();
      expect([...reader.audited(Number.parseInt(begin?.id ?? '', 10))]).toEqual(trail.slice(2));
    });
  });

  it('names in its audit trail the request of an answer that stands in a later file', async () => {
    await fillThree();
    const trail = (): AuditEntry[] =>
      withReader((reader) => [...reader.audited()]).filter(({ metadata }) =>
        callId(metadata).includes('call-b'),
      );
    const request = { request_id: 'call-b', signature: 'mac' };
    expect(trail()).toEqual([
      expect.objectContaining({ direction: 'request', ...request }),
      expect.objectContaining({ direction: 'response', ...request }),
    ]);
    renameSync(join(folder(), closed()[0] ?? ''), join(scratch.folder, 'away.db'));
    expect(trail()).toEqual([
      expect.objectContaining({ direction: 'response', request_id: null, signature: '' }),
    ]);
  });

  it('tells of a call that began two files before its end', async () => {
    await fillThree();
    expect(closed()).toEqual([expect.stringMatching(/^1-1-/), expect.stringMatching(/^2-/)]);
    withReader((reader) => {
      const call = reader.call('call-b');
      expect(call).toMatchObject({ decision: { code: 'ALLOW' }, end: { code: 'OK' } });
      expect(call?.previews).toEqual({ 'call.preview.args_preview': '{"path":"/tmp/call-b"}' });
      expect(reader.runs().rows.map(({ runId, end }) => [runId, end?.code])).toEqual([
        ['run-c', undefined],
        ['run-b', 'SUCCEEDED'],
        ['run-a', 'SUCCEEDED'],
      ]);
      expect(reader.seenOutcome('run-b', 'call-b')).toMatchObject({ claimed: { runId: 'run-b' } });
      expect(reader.closedFiles).toMatchObject({ there: [{ number: 2 }, { number: 1 }], missing: [] });
    });
  });

  it('lists what is pending in whichever file it stands', async () => {
    await inNextFile(async (ledger) => void (await ledger.append(beginCall('run-a', 'call-1'))));
    await inNextFile(async (ledger) => void (await ledger.append(beginCall('run-a', 'call-2'))));
    const ledger = await scratch.open({ segmentBytes: 1 });
    expect(closed()).toHaveLength(2);
    expect(ledger.danglingPendings().map(({ data }) => data['call'])).toEqual([
      { call_id: 'call-1' },
      { call_id: 'call-2' },
    ]);
    await ledger.close();
  });

  it('has a few of its closed files open at a time, however many there are', async () => {
    for (let life = 0; life < 9; life += 1) await inNextFile((ledger) => fillRun(ledger, `run-${life}`, 1));
    const open = new Set<string>();
    let most = 0;
    const files = new LedgerFiles(scratch.path, ({ db, path }) => {
      open.add(path);
      const close = db.close.bind(db);
      Object.defineProperty(db, 'close', { value: () => (open.delete(path), close()) });
      return path;
    });
    const paths: string[] = [];
    for (const path of files.newestFirst()) {
      paths.push(path);
      most = Math.max(most, open.size);
    }
    expect(paths).toHaveLength(9);
    expect(most).toBeLessThanOrEqual(6);
    files.close();
    expect(open.size).toBe(0);
  });
});

describe('an older file that is not there', () => {
  let moved: string;
  beforeEach(async () => {
    await fillThree();
    moved = closed()[0] ?? '';
    renameSync(join(folder(), moved), join(scratch.folder, moved));
  });

  it('ends listings where it was, in both directions', () => {
    const last = Number(moved.split(/[-.]/)[2]);
    withReader((reader) => {
      const newest = whole((cursor) => reader.all({ cursor, limit: 4 }));
      expect(newest.at(-1)?.seq).toBe(last + 1);
      expect(seqs(whole((cursor) => reader.all({ cursor, limit: 4, order: 'asc' })))).toEqual(
        seqs(newest).toReversed(),
      );
      expect(reader.byRun('run-a').rows).toEqual([]);
      expect(reader.tailFrom(1, 3).rows[0]?.seq).toBe(last + 1);
    });
  });

  it('ends listings in a reader that listed it before and has not let go since', () => {
    const [second = ''] = closed();
    renameSync(join(scratch.folder, moved), join(folder(), moved));
    withReader((reader) => {
      const all = seqs(reader.all({ limit: 1000, order: 'asc' }).rows);
      expect(all[0]).toBe(1);
      renameSync(join(folder(), second), join(scratch.folder, second));
      const [, , last] = second.split(/[-.]/).map(Number);
      const rest = all.filter((seq) => seq > (last ?? 0));
      const page = { limit: 1000 } as const;
      expect(seqs(reader.all({ ...page, order: 'asc' }).rows)).toEqual(rest);
      expect(seqs(reader.all(page).rows)).toEqual(rest.toReversed());
      expect(() => reader.entry(last ?? 0)).toThrow(expect.objectContaining({ code: 'not_found' }));
    });
  });

  it('is named where an entry of it is asked for', () => {
    withReader((reader) => {
      const error = { code: 'not_found', message: expect.stringContaining(`\`${moved}\``) };
      expect(() => reader.entry(2)).toThrow(expect.objectContaining(error));
      expect(() => reader.blob(2, 'call.preview.args_preview')).toThrow(expect.objectContaining(error));
      expect(reader.holds(2)).toBe(false);
      expect(reader.entry(reader.size)?.seq).toBe(reader.size);
      expect(reader.entry(reader.size + 1)).toBeUndefined();
      expect(reader.closedFiles).toEqual({
        there: [expect.objectContaining({ number: 2 })],
        missing: [{ from: 1, to: 1, first: 1, last: Number(moved.split(/[-.]/)[2]) }],
      });
    });
  });

  it('is read again once it was put back', () => {
    withReader((reader) => {
      renameSync(join(scratch.folder, moved), join(folder(), moved));
      reader.release();
      expect(reader.entry(2)?.seq).toBe(2);
    });
  });

  it('may lie between others: those before it give single entries', async () => {
    renameSync(join(scratch.folder, moved), join(folder(), moved));
    const second = closed()[1] ?? '';
    renameSync(join(folder(), second), join(scratch.folder, second));
    withReader((reader) => {
      expect(reader.entry(2)?.seq).toBe(2);
      const { first, last } = reader.closedFiles.missing[0] ?? { first: 0, last: 0 };
      expect(second).toBe(`2-${first}-${last}.db`);
      expect(() => reader.entry(first)).toThrow(expect.objectContaining({ code: 'not_found' }));
      expect(reader.all({ limit: 1000, order: 'asc' }).rows[0]?.seq).toBe(last + 1);
    });
  });

  it('is refused under the name of another', () => {
    renameSync(join(scratch.folder, moved), join(folder(), moved));
    const [first = '', second = ''] = closed();
    renameSync(join(folder(), first), join(scratch.folder, 'kept'));
    renameSync(join(folder(), second), join(folder(), first));
    withReader((reader) => {
      expect(() => reader.entry(2)).toThrow(expect.objectContaining({ code: 'ledger_corrupt' }));
    });
  });

  it('is damaged where something else stands under its name, and says what to do', () => {
    renameSync(join(scratch.folder, moved), join(folder(), moved));
    const path = join(folder(), closed()[0] ?? '');
    writeFileSync(path, 'garbage');
    withReader((reader) => {
      expect(() => reader.entry(2)).toThrow(
        expect.objectContaining({
          code: 'ledger_corrupt',
          message: `\`${path}\` is not the closed file that its name says`,
          help: expect.stringMatching(/^put the file back from a backup/),
        }),
      );
    });
  });
});

describe('a reader that lives on', () => {
  it('lets the ledger go on in another file while it waits, and reads on without a gap', async () => {
    const ledger = await scratch.open({ segmentBytes: 1 });
    const reader = openLedgerReader(scratch.path);
    const read: number[] = [];
    const readOn = (): void => {
      for (;;) {
        const { rows } = reader.tailFrom((read.at(-1) ?? 0) + 1, 100);
        read.push(...seqs(rows));
        if (rows.length < 100) break;
      }
      reader.release();
    };
    for (const run of ['run-a', 'run-b', 'run-c']) {
      await fillRun(ledger, run, 400);
      readOn();
    }
    expect(closed().length).toBeGreaterThanOrEqual(2);
    expect(read).toEqual(Array.from({ length: ledger.head().seq }, (_, at) => at + 1));
    reader.close();
    await ledger.close();
  }, 60_000);

  it.each([
    ['oldest first', (files: LedgerFiles<number>) => files.oldestFirst(), [1, 2, 3]],
    ['newest first', (files: LedgerFiles<number>) => files.newestFirst(), [2, 1]],
  ])('leaves no file out that ended and is replaced while it lists them, %s', async (_, list, expected) => {
    await fillThree();
    // As it is between the last entry of a file and the moment at which the next one takes its place.
    const next = join(scratch.folder, 'next.db');
    renameSync(scratch.path, next);
    linkSync(join(folder(), closed()[1] ?? ''), scratch.path);
    const files = new LedgerFiles(scratch.path, ({ base }) => base.segment);
    const found: number[] = [];
    for (const segment of list(files)) {
      if (found.push(segment) === 1) renameSync(next, scratch.path);
    }
    files.close();
    expect(found).toEqual(expected);
  });

  it('keeps the ledger in its file while it holds it', async () => {
    const ledger = await scratch.open({ segmentBytes: 1 });
    const reader = openLedgerReader(scratch.path);
    await fillRun(ledger, 'run-a', 400);
    expect(() => closed()).toThrow('ENOENT');
    reader.close();
    await ledger.close();
  }, 60_000);

  it('finds another file in its place, though nobody told it to let go', async () => {
    await fillThree();
    const reader = openLedgerReader(scratch.path);
    const size = reader.size;
    // As a rotation does, to which the lock of this reader was lost.
    renameSync(scratch.path, join(folder(), 'old'));
    renameSync(mergeFiles(join(folder(), 'old'), join(scratch.folder, 'new')), scratch.path);
    expect(reader.size).toBe(size);
    reader.close();
    expect(() => reader.size).toThrow(TypeError);
  });
});

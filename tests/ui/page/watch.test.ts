import type { JsonObject } from '@subluminal/core-types/portable';
import { describe, expect, it, vi } from 'vitest';
import { answering } from '../../../packages/ui/page/verify/answering.js';
import type { AskWorker } from '../../../packages/ui/page/verify/ask-worker.js';
import type { Shown } from '../../../packages/ui/page/verify/chain.js';
import { memoryOf } from '../../../packages/ui/page/verify/memory.js';
import type { Api } from '../../../packages/ui/page/wire/api.js';
import { Watch } from '../../../packages/ui/page/verify/watch.js';
import { entryOf, Kept, signedRecord, type SignedRecord } from './kit/record.js';

const COUNT = 2500;
const all = Array.from({ length: COUNT }, (_, index) => entryOf(index + 1));
const record = (): SignedRecord =>
  signedRecord(
    'l-1',
    all.map(({ body }) => body),
  );
const entryTime = (seq: number): unknown => JSON.parse(all[seq - 1]?.body ?? '{}').ts;
const shown = (seq: number, more: JsonObject = {}): Shown => ({
  seq,
  entry: { ...(all[seq - 1]?.shown as JsonObject), ...more },
});

/** A watch over a record, with the answers of the worker itself. */
function watching(
  of: SignedRecord,
  answer = answering(),
  storage = new Kept(),
  now = (): number => Date.now(),
  newest = (): number | undefined => undefined,
): { watch: Watch; storage: Kept } {
  const ask: AskWorker = (question) => answer(question) as never;
  const api: Api = {
    token: '',
    get: (route, query) => of.get(route, query),
    post: () => Promise.reject(new Error('nothing is changed')),
  };
  return { watch: new Watch({ api, ask, storage, newest, now }), storage };
}

describe('the watch over a record', () => {
  it('walks over it once at a time, however often that is asked for, and finds nothing in a whole one', async () => {
    const { storage, watch } = watching(record());
    await Promise.all([
      watch.begin('l-1', '/home/a'),
      watch.checkAll(),
      watch.checkAll(),
      watch.checkHead(),
      watch.checkAll(),
    ]);
    await watch.checkAll();
    watch.stop();
    expect(watch.finding.value).toBeNull();
    expect(watch.problem.value).toBeNull();
    expect(watch.walked.value).toMatchObject({ size: COUNT });
    expect([...Array(storage.length).keys()].map((at) => storage.key(at))).not.toContainEqual(
      expect.stringContaining('found'),
    );
  });

  it('says since when the record is intact, and what an earlier visit saw', async () => {
    const [of, first] = [record(), watching(record())];
    const { storage } = first;
    await first.watch.begin('other', '/home/b');
    first.watch.stop();
    const one = watching(of, answering(), storage, () => 1000);
    await one.watch.begin('l-1', '/home/a');
    one.watch.stop();
    expect([one.watch.before.value, one.watch.since.value]).toEqual([null, entryTime(1)]);
    const two = watching(of, answering(), storage, () => 9000);
    await two.watch.begin('l-1', '/home/a');
    await two.watch.checkHead();
    two.watch.stop();
    expect(two.watch.before.value).toEqual({ at: 1000, first: 1000, size: COUNT });
    await two.watch.forget();
    expect(two.watch.before.value).toBeNull();
  });

  it('goes on where a walk of another watch took the worker, and finds nothing', async () => {
    const [answer, of] = [answering(), record()];
    const [{ watch: one }, { watch: other }] = [watching(of, answer), watching(of, answer)];
    await Promise.all([one.begin('l-1', '/a'), other.begin('l-1', '/a')]);
    one.stop();
    other.stop();
    expect([one.finding.value, other.finding.value]).toEqual([null, null]);
  });

  it('finds an entry that was changed, and forgets it where a person says so', async () => {
    const of = record();
    const bent = {
      ...of,
      async get(route: string, query = {}): Promise<never> {
        const answer: { entries?: { seq: number; body: string }[] } = await of.get(route, query);
        const entries = answer.entries?.map((one) =>
          one.seq === 1200 ? { ...one, body: one.body.replace('"v":1', '"v":2') } : one,
        );
        return { ...answer, ...(entries === undefined ? {} : { entries }) } as never;
      },
    };
    const { watch } = watching(bent);
    await watch.begin('l-1', '/home/a');
    expect(watch.finding.value).toMatchObject({ seq: 1200 });
    await watch.forget();
    expect(watch.finding.value).toBeNull();
    // Nothing is whole before it was looked at anew.
    expect(watch.walked.value).toBeNull();
    watch.stop();
  });

  it('says that no head is given until one is, whatever else fits', async () => {
    const of = record();
    let isAway = false;
    const { watch } = watching({
      ...of,
      get: (route: string, query = {}): Promise<never> =>
        isAway && route.endsWith('/head') ? Promise.reject(new Error('no head')) : of.get(route, query),
    });
    await watch.begin('l-1', '/home/a');
    isAway = true;
    await watch.checkHead();
    expect(await watch.checkRecord([shown(7)])).toBe('proved');
    expect(watch.problem.value).toBe('no head');
    isAway = false;
    await watch.checkHead();
    expect(watch.problem.value).toBeNull();
    watch.stop();
  });

  it.each<[string, JsonObject]>([
    ['type', { type: 'tool_call_end' }],
    ['code', { code: 'ALLOW' }],
    ['run', { run_id: 'r-2' }],
    ['tool', { tool: ['shell', 'other'] }],
    ['time', { ts: '2027-01-01T00:00:00.000Z' }],
    ['reference', { ref: 3 }],
    ['data', { data: { call: { call_id: 'c-8' } } }],
  ])(
    'says of no record that it is checked whose %s is shown otherwise than it was hashed',
    async (member, more) => {
      const { watch } = watching(record());
      await watch.begin('l-1', '/home/a');
      expect(await watch.checkRecord([shown(7)])).toBe('proved');
      expect(await watch.checkRecord([shown(7, more)])).toMatchObject({
        seq: 7,
        why: `its ${member} is shown otherwise than the content says that was hashed`,
      });
      watch.stop();
    },
  );

  it('checks a record entry by entry where its entries lie far apart', async () => {
    const { watch } = watching(record());
    await watch.begin('l-1', '/home/a');
    expect(await watch.checkRecord([shown(3), shown(2400)])).toBe('proved');
    expect(await watch.checkRecord([shown(3), shown(2400, { code: 'BLOCK' })])).toMatchObject({ seq: 2400 });
    watch.stop();
  });

  it('says nothing of an entry that the gateway does not give', async () => {
    const { watch } = watching(record());
    await watch.begin('l-1', '/home/a');
    expect(await watch.checkRecord([{ seq: COUNT + 1, entry: '{}' }])).toBe('unchecked');
    expect(watch.finding.value).toBeNull();
    watch.stop();
  });

  it('goes on after five seconds, and after twenty where entries came meanwhile', async () => {
    const later = setTimeout;
    let wait: number | undefined;
    vi.stubGlobal('setTimeout', (does: () => void, ms?: number) => {
      wait = ms;
      return later(does, ms);
    });
    let newest = COUNT;
    const { watch } = watching(record(), answering(), new Kept(), Date.now, () => newest);
    await watch.begin('l-1', '/home/a');
    expect(wait).toBe(5000);
    newest += 1;
    await watch.checkAll();
    expect(wait).toBe(20_000);
    await watch.checkAll();
    expect(wait).toBe(5000);
    watch.stop();
    vi.unstubAllGlobals();
  });
});

describe('the memory of a browser', () => {
  it('is one for each home, and knows which other ledgers a home had', () => {
    const storage = new Kept();
    memoryOf(storage, 'l-1', '/home/a').remember({ key: 'k', note: 'n' }, 7);
    expect(memoryOf(storage, 'l-1', '/home/b').remembered()).toBeNull();
    expect(memoryOf(storage, 'l-2', '/home/a').others()).toEqual(['l-1']);
    expect(memoryOf(storage, 'l-1', '/home/b').others()).toEqual([]);
    const known = memoryOf(storage, 'l-2', '/home/a');
    known.forget();
    expect(known.others()).toEqual([]);
    expect(memoryOf(storage, 'l-1', '/home/a').remembered()).toEqual({ key: 'k', note: 'n' });
  });

  it('knows when it saw its checkpoint, and the first of those that this one continues', () => {
    const memory = memoryOf(new Kept(), 'l-1', '/home/a');
    expect(memory.seen()).toBeNull();
    memory.remember({ key: 'k', note: 'n' }, 7);
    memory.remember({ key: 'k', note: 'm' }, 9);
    expect(memory.seen()).toEqual({ at: 9, first: 7 });
    memory.forget();
    memory.remember({ key: 'k', note: 'm' }, 11);
    expect(memory.seen()).toEqual({ at: 11, first: 11 });
  });
});

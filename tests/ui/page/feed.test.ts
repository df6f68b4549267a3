import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed } from '../../../packages/ui/page/feed/feed.js';
import { Refused } from '../../../packages/ui/page/wire/api.js';
import type { Listener } from '../../../packages/ui/page/wire/socket.js';
import type { RecordsPage, Row } from '@subluminal/ui/protocol';

const row = (seq: number): Row => ({
  seq,
  last: seq,
  ts: seq,
  run: null,
  who: null,
  kind: 'call',
  server: 's',
  tool: 't',
  action: null,
  object: null,
  decision: 'ALLOW',
  answer: null,
  status: null,
  refused: false,
  rule: null,
  why: null,
  ms: null,
  bytes: null,
  flags: [],
});
const range = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

/** A feed whose answers come when they are let, and whose stream is told by hand. */
function feeding(): {
  feed: Feed;
  stream: () => Listener;
  answer: (page: Partial<RecordsPage>) => Promise<void>;
  /** The place where an entry of a time is. */
  found: (seq: number | null) => Promise<void>;
  fail: (code?: string) => Promise<void>;
  asked: () => Readonly<Record<string, string | number | null>>;
  /** Questions that wait for their answer. */
  waits: () => number;
} {
  let listener: Listener | null = null;
  const waiting: {
    query: Readonly<Record<string, string | number | null>>;
    go: (page: never) => void;
    fail: (error: Refused) => void;
  }[] = [];
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const feed = new Feed({
    api: {
      token: '',
      get: (_, query = {}) => new Promise((go, fail) => waiting.push({ query, go, fail })),
      post: () => Promise.reject(new Error('nothing is changed')),
    },
    connect: (_, given) => {
      listener = given;
      return { close: () => undefined };
    },
    now: () => 0,
    random: () => 0,
    dead: () => undefined,
  });
  return {
    feed,
    stream: () => {
      if (listener === null) throw new Error('not connected');
      return listener;
    },
    asked: () => waiting[0]?.query ?? {},
    waits: () => waiting.length,
    async answer(page) {
      waiting
        .shift()
        ?.go({ rows: [], next: null, partial: false, reached: null, unknown: 0, ...page } as never);
      await turns();
    },
    async found(seq) {
      waiting.shift()?.go({ seq } as never);
      await turns();
    },
    async fail(code = 'too_many') {
      waiting.shift()?.fail(new Refused(code, 'no'));
      await turns();
    },
  };
}

const seqs = (feed: Feed): readonly number[] => feed.rows.all.map(({ seq }) => seq);

describe('the window of records', () => {
  const away = async () => {
    const at = feeding();
    at.feed.open('');
    at.stream().welcome('l', 100);
    await at.answer({ rows: range(91, 100), next: 91 });
    const went = at.feed.goToEntry(20);
    await at.answer({ rows: range(15, 19), next: 15 });
    return { ...at, went };
  };

  it('has the rows that come while the page before them is under way', async () => {
    const { answer, feed, stream, went } = await away();
    stream().rows(range(101, 103), []);
    await answer({ rows: range(20, 100), next: null });
    await went;
    expect(feed.isLive.value).toBe(true);
    expect(seqs(feed)).toEqual(range(15, 103).map(({ seq }) => seq));
    stream().rows([row(104)], []);
    expect(seqs(feed).at(-1)).toBe(104);
  });

  it('reads on where more came than is kept, and where some of it was skipped', async () => {
    const { answer, asked, feed, stream, went } = await away();
    stream().skipped(101, 120);
    await answer({ rows: range(20, 100), next: null });
    expect(feed.isLive.value).toBe(false);
    expect(asked()).toMatchObject({ after: 100 });
    await answer({ rows: range(101, 120), next: null });
    await went;
    expect(feed.isLive.value).toBe(true);
    expect(seqs(feed)).toEqual(range(15, 120).map(({ seq }) => seq));
  });

  it('goes on from its own end where a gap is told far behind it', async () => {
    const { answer, asked, feed, stream, went } = await away();
    await answer({ rows: range(20, 40), next: 40 });
    await went;
    stream().skipped(101, 120);
    void feed.readNewer();
    expect(asked()).toMatchObject({ after: 40 });
  });

  it('has a row that fits no more as it is now, and takes none that it does not hold', async () => {
    const { feed, stream, answer } = feeding();
    feed.open('');
    stream().welcome('l', 20);
    await answer({ rows: range(11, 20), next: null });
    stream().rows(
      [],
      [
        { ...row(15), status: 'OK' },
        { ...row(3), status: 'OK' },
      ],
    );
    expect(seqs(feed)[0]).toBe(11);
    expect(feed.rows.all.find(({ seq }) => seq === 15)?.status).toBe('OK');
  });

  it('reads dropped rows again, at the end where they were dropped', async () => {
    const { answer, asked, feed, stream } = feeding();
    feed.open('');
    stream().welcome('l', 10);
    await answer({ rows: range(1, 10), next: null });
    expect(feed.isWhole.value).toBe(true);
    stream().rows(range(11, 100_001), []);
    const [first] = seqs(feed);
    expect([first, seqs(feed).at(-1)]).toEqual([10_001, 100_001]);
    expect(feed.isWhole.value).toBe(false);
    void feed.readOlder();
    expect(asked()).toMatchObject({ before: 10_001 });
    await answer({ rows: range(1, 10_000), next: null });
    await answer({ rows: [], next: null });
    void feed.readOlder();
    expect(seqs(feed)[0]).toBe(1);
  });

  it('ends before the head where older rows have pushed the newest out', async () => {
    const { answer, asked, feed, stream } = feeding();
    feed.open('');
    stream().welcome('l', 200_000);
    await answer({ rows: range(100_001, 200_000), next: 100_001 });
    void feed.readOlder();
    await answer({ rows: range(99_501, 100_000), next: 99_501 });
    expect([seqs(feed)[0], seqs(feed).at(-1), feed.isLive.value]).toEqual([99_501, 190_000, false]);
    void feed.readNewer();
    expect(asked()).toMatchObject({ after: 190_000 });
  });
});

describe('a search of which the time was up', () => {
  const searching = async () => {
    const at = feeding();
    at.feed.open('tool:rare');
    at.stream().welcome('l', 9000);
    await at.answer({ next: 8000, partial: true, reached: 800 });
    return at;
  };

  it('goes on by itself from where it came to, one question at a time', async () => {
    const { answer, asked, feed, waits } = await searching();
    expect([waits(), asked()['before'], feed.reached.value]).toEqual([1, 8000, 800]);
    expect([feed.isLoading.value, feed.isWhole.value]).toEqual([true, false]);
    await answer({ rows: [row(7500)], next: 7000, partial: true, reached: 700 });
    expect([waits(), asked()['before'], feed.reached.value]).toEqual([1, 7000, 700]);
    await answer({ rows: [row(5)], next: null });
    expect([waits(), feed.isWhole.value, feed.reached.value]).toEqual([0, true, null]);
    expect(seqs(feed)).toEqual([5, 7500]);
  });

  it('rests once rows enough to be scrolled have come', async () => {
    const { answer, feed, waits } = await searching();
    await answer({ rows: range(7001, 7200), next: 7001, partial: true, reached: 700 });
    expect([waits(), feed.isLoading.value, feed.isWhole.value]).toEqual([0, false, false]);
  });

  it('ends where somebody stops it, and goes on from there', async () => {
    const { answer, asked, feed, waits } = await searching();
    feed.stop();
    await answer({ next: 7000, partial: true, reached: 700 });
    expect([waits(), feed.isLoading.value, feed.reached.value]).toEqual([0, false, 700]);
    void feed.readOlder();
    expect(asked()).toMatchObject({ before: 7000 });
    await answer({ next: 6000, partial: true, reached: 600 });
    expect(asked()).toMatchObject({ before: 6000 });
  });

  it('ends with its filter', async () => {
    const { answer, feed, stream, waits } = await searching();
    feed.open('tool:other');
    stream().welcome('l', 9000);
    await answer({ rows: [row(7500)], next: 7000, partial: true, reached: 700 });
    expect([waits(), seqs(feed), feed.reached.value]).toEqual([1, [], null]);
  });

  it('goes on towards the newest rows, too, where few of them fit', async () => {
    const { answer, asked, feed, stream } = feeding();
    feed.open('tool:rare');
    stream().welcome('l', 9000);
    await answer({ rows: range(8900, 9000), next: 8900 });
    void feed.goToEntry(100);
    await answer({ rows: range(1, 99), next: null });
    await answer({ rows: [row(120)], next: 500, partial: true });
    expect(asked()).toMatchObject({ after: 500 });
  });

  it('counts what it left out', async () => {
    const { answer, feed } = feeding();
    feed.open('text:secret');
    void feed.goToEntry(50);
    await answer({ next: 40, partial: true, unknown: 2 });
    await answer({ next: null, unknown: 1 });
    expect(feed.leftOut.value).toBe(3);
    feed.open('');
    expect(feed.leftOut.value).toBe(0);
  });
});

describe('a reading that fails', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const failed = async (code?: string) => {
    const at = feeding();
    at.feed.open('');
    at.stream().welcome('l', 100);
    await at.fail(code);
    return at;
  };

  it('is done again by itself, and its notice goes with the rows', async () => {
    const { answer, asked, feed, waits } = await failed();
    expect([feed.problem.value?.code, waits(), feed.isLoading.value]).toEqual(['too_many', 0, false]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(asked()).toMatchObject({ before: 101 });
    await answer({ rows: range(1, 100) });
    expect([feed.problem.value, feed.rows.all.length, feed.isWhole.value]).toEqual([null, 100, true]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(waits()).toBe(0);
  });

  it('waits longer each time, and in the end for a person', async () => {
    const { answer, fail, feed, waits } = await failed();
    let tries = 0;
    for (let second = 0; second < 600; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      if (waits() === 0) continue;
      tries += 1;
      await fail();
    }
    expect(tries).toBe(5);
    feed.retry();
    expect(waits()).toBe(1);
    await answer({ rows: range(1, 100) });
    expect(feed.problem.value).toBeNull();
  });

  it('is done again at once when the connection is back, and only then twice', async () => {
    const { answer, feed, stream, waits } = await failed();
    stream().welcome('l', 120);
    expect(waits()).toBe(1);
    await answer({ rows: range(1, 100) });
    stream().welcome('l', 130);
    await vi.advanceTimersByTimeAsync(100_000);
    expect([waits(), feed.problem.value]).toEqual([0, null]);
  });

  it('is left for a filter that cannot be read, and ends with the feed', async () => {
    const { feed, waits } = await failed('usage');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(waits()).toBe(0);
    feed.retry();
    expect(waits()).toBe(1);
    const other = await failed();
    other.feed.close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(other.waits()).toBe(0);
  });
});

describe('a way to a time', () => {
  const live = async () => {
    const at = feeding();
    at.feed.open('');
    at.stream().welcome('l', 10_000);
    await at.answer({ rows: range(9501, 10_000), next: 9501 });
    return at;
  };

  it('is one at a time, and of those wanted meanwhile the newest', async () => {
    const { answer, asked, feed, found, waits } = await live();
    const went = [feed.goTo(1), feed.goTo(2), feed.goTo(3)];
    expect([waits(), asked()]).toEqual([1, { ts: 1 }]);
    await found(100);
    await answer({ rows: range(1, 99), next: null });
    await answer({ rows: range(100, 599), next: 599 });
    expect([waits(), asked()]).toEqual([1, { ts: 3 }]);
    await found(300);
    await expect(Promise.all(went)).resolves.toEqual([300, undefined, undefined]);
  });

  it('leaves a window alone that began after it', async () => {
    const { answer, asked, feed, stream, waits } = await live();
    void feed.goToEntry(100);
    feed.open('tool:x');
    stream().welcome('l', 10_000);
    await answer({ rows: range(1, 99), next: null });
    expect([waits(), seqs(feed)]).toEqual([1, []]);
    expect(asked()).toMatchObject({ before: 10_001 });
    await answer({ rows: range(9990, 10_000), next: 9990 });
    feed.follows.value = false;
    stream().skipped(10_001, 10_050);
    void feed.readNewer();
    expect(asked()).toMatchObject({ after: 10_000 });
  });

  it('goes nowhere under a filter that was chosen after it', async () => {
    const { answer, feed, found, stream } = await live();
    const went = feed.goTo(1);
    feed.open('tool:x');
    stream().welcome('l', 10_000);
    await found(100);
    await expect(went).resolves.toBeUndefined();
    await answer({ rows: [row(7)], next: null });
    expect([seqs(feed), feed.isLive.value]).toEqual([[7], true]);
  });

  it('says why it failed', async () => {
    const { fail, feed } = await live();
    const went = feed.goTo(1);
    await fail();
    await expect(went).resolves.toBeUndefined();
    expect(feed.problem.value?.code).toBe('too_many');
    feed.close();
  });
});

import { describe, expect, it } from 'vitest';
import { Feed } from '../../../packages/ui/page/feed/feed.js';
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
  asked: () => Readonly<Record<string, string | number | null>>;
} {
  let listener: Listener | null = null;
  const waiting: { query: Readonly<Record<string, string | number | null>>; go: (page: never) => void }[] =
    [];
  const feed = new Feed({
    api: {
      token: '',
      get: (_, query = {}) => new Promise((go) => waiting.push({ query, go })),
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
    async answer(page) {
      waiting.shift()?.go({ rows: [], next: null, partial: false, unknown: 0, ...page } as never);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
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
    stream().rows(range(101, 103), [], 103);
    await answer({ rows: range(20, 100), next: null });
    await went;
    expect(feed.isLive.value).toBe(true);
    expect(seqs(feed)).toEqual(range(15, 103).map(({ seq }) => seq));
    stream().rows([row(104)], [], 104);
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
      22,
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
    stream().rows(range(11, 100_001), [], 100_001);
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

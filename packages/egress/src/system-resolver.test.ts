import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseDestination } from './destination.js';
import { checkAddresses } from './resolve.js';
import { SystemResolver } from './system-resolver.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A system that answers when the test says so, with the names that it was asked for. */
function system(places?: number) {
  const asked: string[] = [];
  const answers = new Map<string, { resolve: (found: string[]) => void; reject: (error: Error) => void }>();
  const resolver = new SystemResolver({
    ask: (host) =>
      new Promise((resolve, reject) => {
        asked.push(host);
        answers.set(host, { resolve, reject });
      }),
    ...(places === undefined ? {} : { places }),
  });
  const ask = (host: string, asker?: string, signal = never): Promise<readonly string[] | string> =>
    resolver
      .resolve(host, signal, asker)
      .catch((error: unknown) => (error as { code?: string }).code ?? String(error));
  return {
    asked,
    ask,
    found: async (host: string): Promise<void> => {
      answers.get(host)?.resolve(['93.184.216.34']);
      await turn();
    },
    lost: async (host: string, code: string): Promise<void> => {
      answers.get(host)?.reject(Object.assign(new Error(code), { code }));
      await turn();
    },
  };
}

const FOUND = ['93.184.216.34'];

describe('the resolver of the operating system', () => {
  it('resolves with the operating system', async () => {
    const addresses = await new SystemResolver().resolve('localhost', never, undefined);
    expect(addresses.length).toBeGreaterThan(0);
    expect(() => checkAddresses(parseDestination('http://localhost/'), addresses, false)).toThrowError(
      expect.objectContaining({ code: 'address_refused' }),
    );
  });

  it('asks once for a name that several wait for, and again afterwards', async () => {
    const { ask, asked, found } = system();
    const both = [ask('a.test', 'one'), ask('a.test', 'other')];
    await found('a.test');
    expect(await Promise.all(both)).toEqual([FOUND, FOUND]);
    const later = ask('a.test', 'one');
    await found('a.test');
    expect(await later).toEqual(FOUND);
    expect(asked).toEqual(['a.test', 'a.test']);
  });

  it('has two names of one run under way, and finds those of other runs and of the operator meanwhile', async () => {
    const { ask, asked, found } = system(8);
    const silent = Array.from({ length: 10 }, (_, n) => ask(`silent-${n}.test`, 'greedy'));
    const others = [ask('run.test', 'honest'), ask('operator.test')];
    expect(asked).toEqual(['silent-0.test', 'silent-1.test', 'run.test', 'operator.test']);
    await found('run.test');
    await found('operator.test');
    expect(await Promise.all(others)).toEqual([FOUND, FOUND]);
    await found('silent-1.test');
    expect(asked).toEqual([...asked.slice(0, 4), 'silent-2.test']);
    expect(await silent[1]).toEqual(FOUND);
  });

  it('keeps a place for the operator however many runs there are, and goes on with whom has the fewest', async () => {
    const { ask, asked, found } = system(4);
    for (const run of ['a', 'b']) for (let n = 0; n < 3; n += 1) void ask(`${run}${n}.test`, run);
    expect(asked).toEqual(['a0.test', 'a1.test', 'b0.test']);
    void ask('c0.test', 'c');
    void ask('operator.test');
    expect(asked.slice(3)).toEqual(['operator.test']);
    await found('a0.test');
    // `b1` and `a2` wait longer.
    expect(asked.slice(4)).toEqual(['c0.test']);
  });

  it('has one name of each run under way where half of the places are taken, so that four runs leave some', async () => {
    const { ask, asked, found } = system(8);
    for (const run of ['a', 'b', 'c', 'd']) for (let n = 0; n < 5; n += 1) void ask(`${run}${n}.test`, run);
    expect(asked).toEqual(['a0.test', 'a1.test', 'b0.test', 'b1.test', 'c0.test', 'd0.test']);
    const honest = ask('honest.test', 'honest');
    await found('honest.test');
    expect(await honest).toEqual(FOUND);
    await found('a0.test');
    expect(asked.slice(6)).toEqual(['honest.test']);
  });

  it('leaves half of the places to others, where names of runs were silent in the last minute', async () => {
    const { ask, asked, lost, found } = system(8);
    const runs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const run of runs) void ask(`${run}.test`, run);
    expect(asked).toHaveLength(7);
    const honest = ask('honest.test', 'honest');
    vi.advanceTimersByTime(10_001);
    for (const run of runs) void ask(`${run}-again.test`, run);
    for (const run of runs) await lost(`${run}.test`, 'EAI_AGAIN');
    await found('honest.test');
    expect(await honest).toEqual(FOUND);
    expect(asked.slice(7)).toEqual(['honest.test', 'a-again.test', 'b-again.test', 'c-again.test']);
    const other = ask('other.test', 'other');
    await found('other.test');
    expect(await other).toEqual(FOUND);
    vi.advanceTimersByTime(60_001);
    for (const run of ['a', 'b', 'c']) await found(`${run}-again.test`);
    expect(asked.slice(12)).toEqual(['d-again.test', 'e-again.test', 'f-again.test', 'g-again.test']);
  });

  it('looks up at once, for the operator, a name that waits for its turn in the name of a run', async () => {
    const { ask, asked, found } = system(2);
    void ask('silent.test', 'run');
    const waiting = ask('both.test', 'run');
    expect(asked).toEqual(['silent.test']);
    const own = ask('both.test');
    expect(asked).toEqual(['silent.test', 'both.test']);
    await found('both.test');
    expect(await Promise.all([waiting, own])).toEqual([FOUND, FOUND]);
  });

  it('is overloaded for a run with too many names that wait, and for nobody else', async () => {
    const { ask, found } = system(8);
    const all = Array.from({ length: 19 }, (_, n) => ask(`n${n}.test`, 'greedy'));
    expect(await all[18]).toBe('overloaded');
    const other = ask('other.test', 'honest');
    await found('other.test');
    expect(await other).toEqual(FOUND);
    await found('n0.test');
    const again = ask('again.test', 'greedy');
    expect(await Promise.race([again, Promise.resolve('waits')])).toBe('waits');
  });

  it('is overloaded when 256 names wait', async () => {
    const { ask } = system(2);
    for (let n = 0; n < 257; n += 1) void ask(`n${n}.test`, `run-${n}`);
    expect(await ask('one-more.test', 'another')).toBe('overloaded');
  });

  it('does not look up a name that nobody waits for any more', async () => {
    const { ask, asked, found } = system(2);
    const gone = new AbortController();
    void ask('first.test', 'run');
    const left = ask('left.test', 'run', gone.signal);
    void ask('last.test', 'run');
    gone.abort();
    expect(await left).toBe('timed_out');
    await found('first.test');
    expect(asked).toEqual(['first.test', 'last.test']);
  });

  it('says what it found out for five seconds where that was nothing', async () => {
    const { ask, asked, lost, found } = system();
    const first = ask('gone.test', 'run');
    await lost('gone.test', 'ENOTFOUND');
    expect(await first).toBe('ENOTFOUND');
    expect(await ask('gone.test', 'run')).toBe('ENOTFOUND');
    expect(asked).toEqual(['gone.test']);
    vi.advanceTimersByTime(5001);
    const again = ask('gone.test');
    await found('gone.test');
    expect(await again).toEqual(FOUND);
  });

  it('takes a name for silent after ten seconds, and keeps its place until the system has given up', async () => {
    const { ask, asked, lost } = system(2);
    const first = ask('silent.test', 'run');
    const second = ask('second.test', 'run');
    vi.advanceTimersByTime(10_000);
    expect(await first).toBe('timed_out');
    expect(await ask('silent.test', 'other')).toBe('timed_out');
    expect(asked).toEqual(['silent.test']);
    await lost('silent.test', 'EAI_AGAIN');
    expect(asked).toEqual(['silent.test', 'second.test']);
    await lost('second.test', 'EAI_AGAIN');
    expect(await second).toBe('EAI_AGAIN');
  });
});

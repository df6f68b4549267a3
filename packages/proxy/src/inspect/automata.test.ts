import { describe, expect, it, vi } from 'vitest';
import { Turns } from '@subluminal/gateway';
import { Automata } from './automata.js';

const bytes = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

/** No time is left in a turn behind a step. */
function shortTurns(): Turns {
  let now = 0;
  return new Turns(() => (now += 20));
}

describe('the automata of secrets', () => {
  it('are made once for the same texts, also for those who ask meanwhile', async () => {
    const automata = new Automata(shortTurns());
    const [one, other] = await Promise.all([automata.of(bytes('ab', 'c')), automata.of(bytes('ab', 'c'))]);
    expect(other).toBe(one);
    expect(await automata.of(bytes('ab', 'c'))).toBe(one);
    expect(await automata.of(bytes('a', 'bc'))).not.toBe(one);
  });

  it('are made in as many turns as that takes, and find what one does that is made at once', async () => {
    let turns = 0;
    let isMade = false;
    const count = (): void => {
      turns += 1;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    const long = Array.from({ length: 50_000 }, (_, at) => (at * at) % 251);
    const automaton = await new Automata(shortTurns()).of([Buffer.from(long)]);
    isMade = true;
    expect(turns).toBeGreaterThan(5);
    let state = 0;
    for (const byte of long) state = automaton.step(state, byte);
    expect(automaton.found[state]).toBe(0);
  });

  it('are kept up to a number of states, those that were asked for last', async () => {
    const automata = new Automata(shortTurns(), 10);
    const first = await automata.of(bytes('abcd'));
    await automata.of(bytes('efgh'));
    expect(await automata.of(bytes('abcd'))).toBe(first);
    await automata.of(bytes('ijkl'));
    expect(await automata.of(bytes('abcd'))).toBe(first);
    const large = await automata.of(bytes('0123456789'));
    expect(await automata.of(bytes('0123456789'))).not.toBe(large);
  });

  it('are made anew where making one failed', async () => {
    const turns = shortTurns();
    const works = vi.spyOn(turns, 'work').mockRejectedValueOnce(new Error('no memory'));
    const automata = new Automata(turns);
    await expect(automata.of(bytes('ab'))).rejects.toThrow('no memory');
    expect((await automata.of(bytes('ab'))).found).toContain(0);
    expect(works).toHaveBeenCalledTimes(2);
  });
});

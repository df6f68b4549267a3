import { describe, expect, it } from 'vitest';
import type { Identity } from './event.js';
import { isHeldOut, keyOf } from './key.js';

const ME: Identity = { client: 'claude', session: 's', repository: '/w', agent: '' };

describe('a key', () => {
  it('differs with each part of an identity, and parts do not run into each other', () => {
    const others: readonly Identity[] = [
      { ...ME, client: 'codex' },
      { ...ME, session: 't' },
      { ...ME, repository: '/v' },
      { ...ME, agent: 'a1' },
      { ...ME, session: 's/w', repository: '' },
    ];
    expect(new Set([ME, ...others].map(keyOf)).size).toBe(6);
    expect(keyOf(ME)).toBe(keyOf({ ...ME }));
  });

  it('puts about one session in five into the hold-out, its subagents with it', () => {
    const sessions = Array.from({ length: 2000 }, (_, at): Identity => ({ ...ME, session: `s${at}` }));
    const held = sessions.filter((one) => isHeldOut(one, 5, 'salt')).length;
    expect(held).toBeGreaterThan(340);
    expect(held).toBeLessThan(460);
    for (const one of sessions)
      expect(isHeldOut({ ...one, agent: 'sub' }, 5, 'salt')).toBe(isHeldOut(one, 5, 'salt'));
  });
});

describe('the salt of the hold-out', () => {
  it('decides which names are in it: one that is held out in a record is in another as any name is', () => {
    const names = Array.from({ length: 2000 }, (_, at) => ({ ...ME, session: `s-${at}` }));
    const held = names.filter((one) => isHeldOut(one, 5, 'one record'));
    const both = held.filter((one) => isHeldOut(one, 5, 'another'));
    expect(held.length).toBeGreaterThan(300);
    expect(both.length / held.length).toBeGreaterThan(0.12);
    expect(both.length / held.length).toBeLessThan(0.28);
  });
});

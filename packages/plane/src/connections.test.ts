import { describe, expect, it } from 'vitest';
import { foldWithHosts, hostOf } from '../testing/connections.js';
import { readSessions } from '../testing/read-sessions.js';
import { precision, recall, type Score, score } from '../testing/score.js';
import { DEFAULT_SETTINGS, type PlaneSettings } from './settings.js';

const STEERING: PlaneSettings = {
  ...DEFAULT_SETTINGS,
  modes: { low: 'steer', ordinary: 'steer', protected: 'steer' },
};

const SESSIONS = [...readSessions('open'), ...readSessions('held')];

const withHosts = (weight: number): Score => score(SESSIONS, STEERING, () => foldWithHosts(weight));

describe('the first connection to a host that a window has not seen', () => {
  it('stands in a third of the sessions', () => {
    const connecting = SESSIONS.filter(({ events }) =>
      events.some((event) => event.kind === 'action' && hostOf(event) !== undefined),
    );
    expect([connecting.length, SESSIONS.length]).toEqual([13, 43]);
  });

  it.each([1, 2, 3])('finds no boundary more as a sign of weight 1/%i, and draws wrong ones', (weight) => {
    const [without, found] = [withHosts(Number.POSITIVE_INFINITY), withHosts(weight)];
    console.info(
      `1/${weight}: precision ${precision(found).toFixed(3)} of ${precision(without).toFixed(3)}`,
      `recall ${recall(found).toFixed(3)}, ${(found.falseSteers / found.hours).toFixed(2)} false steers an hour`,
    );
    // The fold without hosts is the one that is live.
    expect(without).toEqual(score(SESSIONS, STEERING));
    expect(found.right).toBe(without.right);
    expect(found.drawn).toBeGreaterThan(without.drawn);
    expect(found.falseSteers).toBeGreaterThan(without.falseSteers);
  });
});

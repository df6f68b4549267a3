import { describe, expect, it } from 'vitest';
import { bySecondReader, type LabelledSession, readSessions } from '../testing/read-sessions.js';
import { precision, recall, type Score, score } from '../testing/score.js';
import { foldAll } from './fold.js';
import { DEFAULT_SETTINGS, type PlaneSettings } from './settings.js';
import { SIGNAL_NAMES } from './signals/all.js';
import type { SignWhy } from './signals/signal.js';
import { startOfState } from './state.js';

const STEERING: PlaneSettings = {
  ...DEFAULT_SETTINGS,
  modes: { low: 'steer', ordinary: 'steer', protected: 'steer' },
};

const open = readSessions('open');
const held = readSessions('held');

/** Real sessions are named by eight digits of a hash. */
const isReal = ({ id }: LabelledSession): boolean => /^[0-9a-f]{8}$/.test(id);

function row(name: string, found: Score): string {
  const figures = [
    `precision ${precision(found).toFixed(3)}`,
    `recall ${recall(found).toFixed(3)}`,
    `${found.drawn} drawn, ${found.labelled} marked`,
    `${(found.falseSteers / found.hours).toFixed(2)} false steers an hour`,
    `${found.steers} steers in ${found.hours.toFixed(1)} h`,
  ];
  return `${name.padEnd(22)} ${figures.join(' · ')}`;
}

describe('the sessions', () => {
  it('are at least 40 of six kinds, half of them set aside, each with a source and in the order of time', () => {
    expect(open.length + held.length).toBeGreaterThanOrEqual(40);
    expect(held.length).toBeGreaterThanOrEqual(open.length);
    for (const half of [open, held])
      expect([...new Set(half.map(({ kind }) => kind))]).toEqual([
        'bug-fix',
        'feature',
        'migration',
        'refactor',
        'research',
        'runaway',
      ]);
    for (const { events } of [...open, ...held]) {
      const times = events.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    }
    const ids = [...open, ...held].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have their boundaries found, on the half that was set aside, with precision and recall of 0.8', () => {
    const found = score(held, STEERING);
    console.info(
      [
        row('open', score(open, STEERING)),
        row('held', found),
        row('held, real', score(held.filter(isReal), STEERING)),
        row(
          'held, composed',
          score(
            held.filter((one) => !isReal(one)),
            STEERING,
          ),
        ),
      ].join('\n'),
    );
    expect(precision(found)).toBeGreaterThanOrEqual(0.8);
    expect(recall(found)).toBeGreaterThanOrEqual(0.8);
    expect(found.drawn).toBeGreaterThan(50);
  });

  it('have them found by the labels of a second reader, too, with no more than two false steers an hour', () => {
    const second = bySecondReader(held);
    const real = second.filter(isReal);
    const found = score(second, STEERING);
    console.info(
      [
        row('held, second reader', found),
        row('held, real, second', score(real, STEERING)),
        row('open, second reader', score(bySecondReader(open), STEERING)),
      ].join('\n'),
    );
    for (const one of [found, score(real, STEERING)]) {
      expect(precision(one)).toBeGreaterThanOrEqual(0.8);
      expect(recall(one)).toBeGreaterThanOrEqual(0.8);
      expect(one.falseSteers / one.hours).toBeLessThanOrEqual(2);
    }
  });

  it('get at most two false steers an hour of work, and some steers', () => {
    const found = score(held, STEERING);
    expect(found.falseSteers / found.hours).toBeLessThanOrEqual(2);
    expect(found.steers).toBeGreaterThan(20);
  });

  it('get no steer while the plane observes', () => {
    expect(score([...open, ...held], DEFAULT_SETTINGS).steers).toBe(0);
  });
});

const WHYS: Readonly<Record<(typeof SIGNAL_NAMES)[number], readonly SignWhy[]>> = {
  failure: ['failing', 'repeating'],
  lifecycle: ['compaction', 'task'],
  protected: ['protected'],
  scope: ['module', 'repository'],
  work_kind: ['kind'],
};

describe('a signal that is taken away', () => {
  it.each(SIGNAL_NAMES)('costs the boundaries that it alone finds, and nothing else: %s', (name) => {
    const all = [...open, ...held];
    const without: PlaneSettings = { ...STEERING, off: [name] };
    const found = score(all, without);
    console.info(row(`without ${name}`, found));
    expect(found.right).toBeLessThan(score(all, STEERING).right);
    const whys = all.flatMap(({ events, id }) => {
      const start = startOfState({ client: 'claude', session: id, repository: '/w/here', agent: '' }, '');
      return foldAll(start, events, without).entries.flatMap((entry) =>
        entry.type === 'plane.boundary' ? entry.why : [],
      );
    });
    expect(whys.length).toBeGreaterThan(0);
    for (const why of WHYS[name]) expect(whys).not.toContain(why);
  });
});

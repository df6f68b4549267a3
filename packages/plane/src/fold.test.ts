import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { action, life, work } from '../testing/events.js';
import { structured } from './checkpoint/structured.js';
import type { PlaneEntry } from './entries.js';
import type { Identity, PlaneEvent } from './event.js';
import { fold, foldAll } from './fold.js';
import { waitsForCheckpoint } from './posture/gate.js';
import { MAX_STEER } from './posture/text.js';
import { DEFAULT_SETTINGS, type PlaneSettings } from './settings.js';
import { type SignalMemories, SIGNALS } from './signals/all.js';
import type { Signal } from './signals/signal.js';
import { forkedState, readState, startOfState, stateSchema } from './state.js';

const ME: Identity = { client: 'claude', session: 's1', repository: '/w/here', agent: '' };

/** Nobody is in the hold-out. */
const START = { ...startOfState(ME, ''), isHeldOut: false };

const STEERING: PlaneSettings = {
  ...DEFAULT_SETTINGS,
  modes: { low: 'steer', ordinary: 'steer', protected: 'steer' },
};

const anyEvent = fc.record({
  letter: fc.constantFrom('r', 'e', 't', 'g', 'R', 'E', 'T', 'p', '!'),
  folder: fc.constantFrom('api', 'web', 'core'),
  gapMs: fc.integer({ min: 0, max: 120_000 }),
  isOdd: fc.boolean(),
});

const anySession = fc.array(anyEvent, { maxLength: 400 }).map((drafts): readonly PlaneEvent[] => {
  let atMs = 1_700_000_000_000;
  return drafts.map(({ folder, gapMs, isOdd, letter }, at) => {
    atMs += gapMs;
    const [event] = work(letter, at);
    if (event === undefined) throw new Error('no event');
    if (event.kind === 'life') return { ...event, atMs };
    return { ...event, atMs, target: isOdd ? `${folder}/x.ts` : event.target };
  });
});

const boundariesOf = (entries: readonly PlaneEntry[]): readonly PlaneEntry[] =>
  entries.filter(({ type }) => type === 'plane.boundary');

/** The numbers of the events at which a boundary is drawn. */
function drawnAt(events: readonly PlaneEvent[], settings = DEFAULT_SETTINGS): readonly number[] {
  let state = START;
  return events.flatMap((event, at) => {
    const folded = fold(state, event, settings);
    state = folded.state;
    return boundariesOf(folded.entries).length > 0 ? [at] : [];
  });
}

describe('the fold', () => {
  it('gives equal bytes for equal events, whatever they are', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const [one, other] = [foldAll(START, events, STEERING), foldAll(START, events, STEERING)];
        expect(JSON.stringify(one)).toBe(JSON.stringify(other));
      }),
      { numRuns: 50 },
    );
  });

  it('has the folder of its first call for a session whose run names none, and keeps it', () => {
    const nowhere = { ...startOfState({ ...ME, repository: '' }, ''), isHeldOut: false };
    const moved = work('rr', 9).map((event) => ({ ...event, repository: '/w/there' }));
    const { state } = foldAll(nowhere, [life(0, 'started'), ...work('rr', 1), ...moved], DEFAULT_SETTINGS);
    expect(state.repository).toBe(startOfState({ ...ME, repository: '/w/here' }, '').repository);
  });

  it('goes on from a state that was stored as from one that was not', () => {
    fc.assert(
      fc.property(anySession, fc.nat(400), (events, cut) => {
        const first = foldAll(START, events.slice(0, cut), STEERING);
        const stored = readState(JSON.parse(JSON.stringify(first.state)));
        if (stored === undefined) throw new Error('the state is none');
        const rest = foldAll(stored, events.slice(cut), STEERING);
        const whole = foldAll(START, events, STEERING);
        expect(JSON.stringify(rest.state)).toBe(JSON.stringify(whole.state));
        expect([...first.entries, ...rest.entries]).toEqual(whole.entries);
      }),
      { numRuns: 50 },
    );
  });

  it('reads no state from anything else', () => {
    expect(readState({ ...START, v: 2 })).toBeUndefined();
    expect(readState({ ...START, more: 1 })).toBeUndefined();
    expect(readState(null)).toBeUndefined();
  });

  it('has windows that follow each other without a gap, each with one end', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const { entries, state } = foldAll(START, events, STEERING);
        const windows = entries.filter((entry) => entry.type === 'plane.window');
        const opened = windows.filter(({ what }) => what === 'opened').map(({ window }) => window);
        const closed = windows.filter(({ what }) => what === 'closed').map(({ window }) => window);
        expect(opened).toEqual(opened.map((_, index) => index + 1));
        expect(closed).toEqual(closed.map((_, index) => index + 1));
        if (events.length > 0) expect(opened.length).toBe(closed.length + 1);
        const counted = windows.reduce((all, one) => all + (one.what === 'closed' ? one.actions : 0), 0);
        const actions = events.filter(({ kind }) => kind === 'action').length;
        expect(counted + state.window.actions).toBe(actions);
      }),
      { numRuns: 50 },
    );
  });

  it('stays within its bounds over 100,000 events', () => {
    let state = START;
    let largest = 0;
    const words = 'reTtTeerrr!gpEtt';
    for (let at = 0; at < 100_000; at += 1) {
      const target = `m${at % 977}/${'long'.repeat(at % 64)}/f${at}.ts`;
      const [event] = work(words.charAt((at * 7 + (at >> 5)) % words.length), at);
      if (event === undefined) throw new Error('no event');
      const next = event.kind === 'action' && at % 3 === 0 ? { ...event, target } : event;
      state = fold(state, next, STEERING).state;
      if (at % 1000 === 0) largest = Math.max(largest, JSON.stringify(state).length);
    }
    expect(largest).toBeLessThan(8192);
    expect(stateSchema.safeParse(state).success).toBe(true);
    expect(state.window.number).toBeGreaterThan(1000);
  });

  it('keeps the time from going back', () => {
    const { state } = foldAll(START, [action(5, 'Read', 'a/b.ts'), action(1, 'Read', 'a/b.ts')], STEERING);
    expect(state.nowMs).toBe(1_700_000_050_000);
  });
});

describe('a boundary', () => {
  it('comes where the work has become of another kind and has stayed so', () => {
    const { entries } = foldAll(START, work('rrrrree'), DEFAULT_SETTINGS);
    expect(boundariesOf(entries)).toEqual([
      { type: 'plane.boundary', window: 1, why: ['kind'], from: 'explore', to: 'change', tier: 'ordinary' },
    ]);
  });

  it('is not drawn for one look between edits, nor for one test between them', () => {
    expect(drawnAt(work('eereeteerreetee'))).toEqual([]);
  });

  it('keeps the floor: never two of one tier within three actions, nor within ten seconds', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        let state = START;
        let actions = 0;
        const last = new Map<boolean, { readonly actions: number; readonly atMs: number }>();
        for (const event of events) {
          const folded = fold(state, event, DEFAULT_SETTINGS);
          state = folded.state;
          if (event.kind === 'action') actions += 1;
          for (const entry of folded.entries) {
            if (entry.type !== 'plane.boundary') continue;
            const isProtected = entry.why.includes('protected');
            const before = last.get(isProtected);
            if (before !== undefined) {
              expect(actions - before.actions).toBeGreaterThanOrEqual(3);
              expect(state.nowMs - before.atMs).toBeGreaterThanOrEqual(10_000);
            }
            last.set(isProtected, { actions, atMs: state.nowMs });
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is no toll: work of any small pattern has one in eight actions at most, over 1,000 actions', () => {
    const pattern = fc.array(fc.constantFrom('r', 'e', 't', 'g', 'E', 'T'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(pattern, (letters) => {
        const word = Array.from({ length: 1000 }, (_, at) => letters[at % letters.length] ?? 'r').join('');
        expect(drawnAt(work(word)).length).toBeLessThanOrEqual(1000 / 8 + 3);
      }),
      { numRuns: 60 },
    );
  });

  it('does not come again and again while edits and tests take turns', () => {
    for (const word of ['et', 'eett', 'eeett', 'reet', 'eTet'])
      expect(drawnAt(work(word.repeat(500).slice(0, 1000))).length).toBeLessThanOrEqual(3);
  });

  it('waits for the floor instead of being lost, and the wait is an entry', () => {
    const soon = work('rrrrree').map((event, at) => ({ ...event, atMs: 1_700_000_000_000 + at * 100 }));
    const more = [
      action(2, 'Bash', 'npm test'),
      action(3, 'Bash', 'npm run lint'),
      action(4, 'Read', 'src/a/x.ts'),
    ];
    const quick = more.map((event, at) => ({ ...event, atMs: 1_700_000_001_000 + at * 100 }));
    const first = foldAll(START, [...soon, ...quick], DEFAULT_SETTINGS);
    expect(boundariesOf(first.entries)).toHaveLength(1);
    expect(first.entries).toContainEqual({
      type: 'plane.skip',
      what: 'boundary',
      window: 2,
      reason: 'floor',
    });
    const later = fold(first.state, action(9, 'Read', 'src/a/y.ts'), DEFAULT_SETTINGS);
    expect(boundariesOf(later.entries)).toMatchObject([{ why: ['kind'], from: 'change', to: 'check' }]);
  });

  it('of a protected action is not held back by an ordinary one just before', () => {
    expect(drawnAt(work('rrrrree!'))).toEqual([6, 7]);
  });

  it('is the same whatever mechanisms of checkpoints are configured', () => {
    const fitted = (event: PlaneEvent, index: number): PlaneEvent =>
      event.kind === 'life' ? event : { ...event, form: { lacks: index % 2 === 0 ? [] : ['plan'] } };
    fc.assert(
      fc.property(anySession, (events) => {
        const drawn = drawnAt(events);
        expect(drawnAt(events.map(fitted))).toEqual(drawn);
        expect(drawnAt(events, { ...DEFAULT_SETTINGS, mechanisms: [] })).toEqual(drawn);
        expect(drawnAt(events, { ...DEFAULT_SETTINGS, mechanisms: [structured] })).toEqual(drawn);
      }),
      { numRuns: 30 },
    );
  });

  it('is the same whatever modes and roles are configured', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        expect(drawnAt(events, STEERING)).toEqual(drawnAt(events));
        expect(drawnAt(events, { ...STEERING, role: 'director' })).toEqual(drawnAt(events));
      }),
      { numRuns: 30 },
    );
  });

  it('follows no word of the agent: todo lists and plans draw none', () => {
    const todo = (at: number): PlaneEvent => action(at, 'TodoWrite');
    const plain = work('rrrreeeettt');
    const noisy = plain.flatMap((event, at) => [event, todo(at), action(at, 'ExitPlanMode')]);
    const order = (events: readonly PlaneEvent[]): readonly string[] =>
      drawnAt(events).map((at) => events[at]?.id ?? '');
    expect(order(noisy)).toEqual(order(plain));
  });
});

describe('a window', () => {
  it('that only looks is longer than one that changes, and one with a protected action is the shortest', () => {
    const lengthOf = (letter: string): number => {
      const { entries } = foldAll(START, work(letter.repeat(300)), { ...DEFAULT_SETTINGS, off: ['failure'] });
      const found = entries.find(
        (entry) => entry.type === 'plane.window' && entry.what === 'closed' && entry.by === 'backstop',
      );
      return found?.type === 'plane.window' && found.what === 'closed' ? found.actions : 0;
    };
    expect([lengthOf('r'), lengthOf('e'), lengthOf('!')]).toEqual([120, 60, 15]);
  });

  it('ends with the session, and a session that is resumed goes on with another one', () => {
    const { entries, state } = foldAll(START, [...work('rr'), life(3, 'resumed'), ...work('r', 4)], STEERING);
    expect(entries).toContainEqual(
      expect.objectContaining({ what: 'closed', window: 1, by: 'end', actions: 2 }),
    );
    expect(state.window).toMatchObject({ number: 2, actions: 1 });
  });

  it('ends where the context is compacted', () => {
    const { entries } = foldAll(START, [...work('rrrr'), life(5, 'compacted')], STEERING);
    expect(boundariesOf(entries)).toMatchObject([{ why: ['compaction'], window: 1 }]);
  });

  it('without evidence of a checkpoint says so when it ends', () => {
    const { entries } = foldAll(START, work('rrrrree'), DEFAULT_SETTINGS);
    expect(entries).toContainEqual({ type: 'plane.skip', what: 'checkpoint', window: 1, reason: 'evidence' });
  });

  it('with evidence has it once, with the call that shows it', () => {
    const events = [...work('rree'), action(5, 'Bash', 'git diff'), action(6, 'Bash', 'git diff')];
    const { entries } = foldAll(START, events, DEFAULT_SETTINGS);
    expect(entries.filter(({ type }) => type === 'plane.checkpoint')).toEqual([
      {
        type: 'plane.checkpoint',
        window: 2,
        mechanism: 'drift',
        looks: 'back',
        event: 'call-5',
        facts: { command: 'git diff' },
      },
    ]);
  });
});

describe('a state', () => {
  it('of a session that forks goes on with what was remembered, and the two know nothing of each other', () => {
    const { state } = foldAll(START, work('rrrre'), DEFAULT_SETTINGS);
    const forked = forkedState(state, { ...ME, session: 's2' }, '');
    const [one, other] = [fold(state, action(6, 'Edit', 'src/a/b.ts'), DEFAULT_SETTINGS), forked];
    expect(boundariesOf(one.entries)).toHaveLength(1);
    expect(other.window).toEqual(state.window);
    expect(boundariesOf(fold(other, action(6, 'Read', 'src/a/b.ts'), DEFAULT_SETTINGS).entries)).toEqual([]);
  });

  it('of one of two sessions that work at the same time is not moved by the other one', () => {
    const alone = foldAll(START, work('rrrrree'), DEFAULT_SETTINGS);
    let [one, other] = [START, { ...startOfState({ ...ME, session: 's2' }, ''), isHeldOut: false }];
    const entries: PlaneEntry[] = [];
    for (const event of work('rrrrree')) {
      const folded = fold(one, event, DEFAULT_SETTINGS);
      one = folded.state;
      entries.push(...folded.entries);
      other = fold(other, { ...event, id: `x-${event.id}` }, DEFAULT_SETTINGS).state;
    }
    expect(entries).toEqual(alone.entries);
    expect(other.window.number).toBe(2);
  });
});

describe('without telemetry', () => {
  it('a signal is off, says so once, and the others go on', () => {
    const settings: PlaneSettings = { ...DEFAULT_SETTINGS, telemetry: ['status', 'target', 'time', 'tool'] };
    const { entries } = foldAll(START, [...work('rrrrree'), ...work('!', 8)], settings);
    expect(entries.filter(({ type }) => type === 'plane.signal_off')).toEqual([
      { type: 'plane.signal_off', signal: 'lifecycle', reason: 'telemetry', missing: ['life'] },
      { type: 'plane.signal_off', signal: 'protected', reason: 'telemetry', missing: ['protection'] },
    ]);
    expect(boundariesOf(entries)).toMatchObject([{ why: ['kind'] }]);
  });

  it('of any kind at all, nothing is drawn and nothing fails', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const { entries } = foldAll(START, events, { ...STEERING, telemetry: [] });
        expect(boundariesOf(entries)).toEqual([]);
        expect(events.length === 0 || entries.some(({ type }) => type === 'plane.signal_off')).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('of the time, actions alone keep boundaries apart and end windows', () => {
    const timeless = work('rrrrree'.repeat(10)).map((event) => ({ ...event, atMs: 0 }));
    const telemetry = DEFAULT_SETTINGS.telemetry.filter((one) => one !== 'time');
    expect(drawnAt(timeless, { ...DEFAULT_SETTINGS, telemetry }).length).toBeGreaterThan(0);
  });

  it('a signal that throws is switched off and looks no more', () => {
    const scope: Signal<SignalMemories['scope']> = {
      ...SIGNALS.scope,
      see: () => {
        throw new Error('broken');
      },
    };
    const settings: PlaneSettings = { ...DEFAULT_SETTINGS, signals: { ...SIGNALS, scope } };
    const { entries } = foldAll(START, work('rrrrree'), settings);
    expect(entries.filter(({ type }) => type === 'plane.signal_off')).toEqual([
      { type: 'plane.signal_off', signal: 'scope', reason: 'failed', missing: [] },
    ]);
    expect(boundariesOf(entries)).toHaveLength(1);
  });
});

describe('a steer', () => {
  const steersOf = (entries: readonly PlaneEntry[]): readonly string[] =>
    entries.flatMap((entry) => (entry.type === 'plane.steer' ? [entry.text] : []));

  it('says in facts what ended, how long it took and what was not checked', () => {
    const { entries } = foldAll(START, [...work('eeEeee'), ...work('tt', 6)], STEERING);
    expect(steersOf(entries)).toEqual([
      'Subluminal, from the record: A stretch of work ended here: the kind of work has changed, from changing to checking. It took 7 calls in 1 minute. 1 call of it failed.',
    ]);
  });

  it('comes at a boundary or where a window runs out, and nowhere between', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        let state = START;
        for (const event of events) {
          const { entries, state: next } = fold(state, event, STEERING);
          state = next;
          const ends = entries.some(
            (entry) => entry.type === 'plane.window' && entry.what === 'closed' && entry.by !== 'end',
          );
          if (steersOf(entries).length > 0) expect(ends).toBe(true);
          expect(steersOf(entries).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is short, seldom, and has no word that an agent wrote', () => {
    const word = 'SECRETWORD';
    fc.assert(
      fc.property(anySession, (events) => {
        const named = events.map((event) =>
          event.kind === 'action' ? { ...event, target: `${word}/${event.target ?? ''}` } : event,
        );
        const { entries, state } = foldAll(START, named, STEERING);
        for (const text of steersOf(entries)) {
          expect(text.length).toBeLessThanOrEqual(MAX_STEER);
          expect(text).not.toContain(word);
        }
        const hours = Math.ceil((state.nowMs - (events[0]?.atMs ?? 0)) / 3_600_000);
        expect(steersOf(entries).length).toBeLessThanOrEqual(12 * (hours + 1));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['mode', DEFAULT_SETTINGS, START],
    ['held_out', STEERING, { ...START, isHeldOut: true }],
    ['channel', { ...STEERING, takesContext: false }, START],
  ] as const)('that is not given leaves its reason: %s', (reason, settings, start) => {
    const { entries } = foldAll(start, work('rrrrree'), settings);
    expect(steersOf(entries)).toEqual([]);
    expect(entries).toContainEqual({ type: 'plane.skip', what: 'steer', window: 1, reason });
  });

  it('too soon after another one is skipped for its rate', () => {
    const { entries } = foldAll(START, [...work('rrrrreeeee'), ...work('tt', 10)], STEERING);
    expect(steersOf(entries)).toHaveLength(1);
    expect(entries).toContainEqual({ type: 'plane.skip', what: 'steer', window: 2, reason: 'rate' });
  });
});

describe('a protected call', () => {
  const gate = { modes: { ...STEERING.modes, protected: 'gate' }, role: 'worker' } as const;

  it('of a worker waits for a checkpoint where the operator has set a gate, and for nothing after it', () => {
    const before = foldAll(START, work('rree'), DEFAULT_SETTINGS).state.window;
    expect(waitsForCheckpoint(true, before.checkpoint !== null, gate)).toBe(true);
    const after = foldAll(START, [...work('rree'), action(5, 'Bash', 'npm test')], DEFAULT_SETTINGS).state
      .window;
    expect(waitsForCheckpoint(true, after.checkpoint !== null, gate)).toBe(false);
  });

  it('of a director waits for nothing, nor does one of anybody while the plane steers or observes', () => {
    const { window } = foldAll(START, work('rree'), DEFAULT_SETTINGS).state;
    expect(waitsForCheckpoint(true, window.checkpoint !== null, { ...gate, role: 'director' })).toBe(false);
    expect(waitsForCheckpoint(true, window.checkpoint !== null, STEERING)).toBe(false);
    expect(waitsForCheckpoint(true, window.checkpoint !== null, DEFAULT_SETTINGS)).toBe(false);
  });

  it('is the only one that waits: what nobody judged, and what is ordinary, does not', () => {
    const { window } = foldAll(START, work('rree'), DEFAULT_SETTINGS).state;
    expect(waitsForCheckpoint(undefined, window.checkpoint !== null, gate)).toBe(false);
    expect(waitsForCheckpoint(false, window.checkpoint !== null, gate)).toBe(false);
  });
});

import type { PlaneEntry, SkipReason, WindowClosed } from './entries.js';
import type { LifeKind, PlaneEvent } from './event.js';
import { MOST, termsOf } from './baseline/baseline.js';
import { tracesOf } from './checkpoint/traces.js';
import { modeOf } from './posture/modes.js';
import { paced } from './posture/rate.js';
import { steerText } from './posture/text.js';
import type { PlaneSettings } from './settings.js';
import { look, SIGNAL_NAMES } from './signals/all.js';
import { type PlaneState, repositoryHash, type WaitingSign } from './state.js';
import { drawn, forgiven, lets, stepped } from './window/floor.js';
import { riskier, type Terms, tierOf } from './window/terms.js';
import { counted, isSpent, mostly, opened } from './window/window.js';

/** A state and the entries that led to it. */
export interface Folded {
  readonly state: PlaneState;
  readonly entries: readonly PlaneEntry[];
}

/** A failure of so many calls in a window is worth a text where the window runs out. */
const TROUBLE = 3;

/**
 * One event further. Pure: equal input gives equal output, byte by byte. A signal that throws is switched
 * off, and the others go on.
 */
export function fold(state: PlaneState, event: PlaneEvent, settings: PlaneSettings): Folded {
  const told = tellSwitchedOff(begun(state, event), settings);
  const seen = lookAt(told, event, settings);
  const lived = event.kind === 'life' ? live(seen, event.what) : step(seen);
  const due = dueNow(lived.state, settings);
  if (due.length > 0) return act(boundary(lived, due, event, settings), event, settings);
  const isHeldBack = seen.state.waiting !== told.state.waiting;
  const held = isHeldBack ? skipped(lived, 'boundary', 'floor') : lived;
  return backstop(act(held, event, settings), settings);
}

/** All events in their order. */
export function foldAll(start: PlaneState, events: Iterable<PlaneEvent>, settings: PlaneSettings): Folded {
  let state = start;
  const entries: PlaneEntry[] = [];
  for (const event of events) {
    const folded = fold(state, event, settings);
    state = folded.state;
    entries.push(...folded.entries);
  }
  return { state, entries };
}

/** Where a run does not say which folder it works in, its first call does. */
const NOWHERE = repositoryHash('');

function begun(before: PlaneState, event: PlaneEvent): Folded {
  const nowMs = Math.max(before.nowMs, Math.trunc(event.atMs));
  const folder = event.kind === 'action' ? event.repository : undefined;
  const state =
    before.repository === NOWHERE && folder !== undefined
      ? { ...before, repository: repositoryHash(folder) }
      : before;
  if (state.nowMs !== 0) return { state: { ...state, nowMs }, entries: [] };
  return {
    state: { ...state, nowMs, window: { ...state.window, sinceMs: nowMs } },
    entries: [{ type: 'plane.window', what: 'opened', window: state.window.number }],
  };
}

function tellSwitchedOff({ entries, state }: Folded, { signals, telemetry }: PlaneSettings): Folded {
  if (state.isTold) return { state, entries };
  const off = SIGNAL_NAMES.flatMap((signal): readonly PlaneEntry[] => {
    const missing = signals[signal].needs.filter((need) => !telemetry.includes(need));
    return missing.length === 0 ? [] : [{ type: 'plane.signal_off', signal, reason: 'telemetry', missing }];
  });
  return { state: { ...state, isTold: true }, entries: [...entries, ...off] };
}

function lookAt({ entries, state }: Folded, event: PlaneEvent, settings: PlaneSettings): Folded {
  const { off, signals, telemetry } = settings;
  const failed = [...state.failed];
  const more: PlaneEntry[] = [];
  let { signals: memories, waiting } = state;
  for (const signal of SIGNAL_NAMES) {
    if (off.includes(signal) || failed.includes(signal)) continue;
    if (!signals[signal].needs.every((need) => telemetry.includes(need))) continue;
    try {
      const seen = look(signal, memories, event, signals);
      memories = { ...memories, [signal]: seen.memory };
      if (seen.sign !== undefined)
        waiting = [...waiting.filter((one) => one.signal !== signal), { signal, ...seen.sign }];
    } catch {
      failed.push(signal);
      more.push({ type: 'plane.signal_off', signal, reason: 'failed', missing: [] });
    }
  }
  return { state: { ...state, failed, signals: memories, waiting }, entries: [...entries, ...more] };
}

function step({ entries, state }: Folded): Folded {
  return { state: { ...state, floor: stepped(state.floor) }, entries };
}

/** Counts an action in the window that it belongs to, and takes what it shows of a reassessment. */
function act({ entries, state }: Folded, event: PlaneEvent, { mechanisms }: PlaneSettings): Folded {
  if (event.kind === 'life') return { state, entries };
  const window = counted(state.window, event);
  // A call that was not made, that is protected itself, or that no policy was asked about shows nothing.
  const shows = event.status !== 'refused' && event.isProtected === false;
  if (window.checkpoint !== null || !shows) return { state: { ...state, window }, entries };
  const traces = tracesOf(event, window, mechanisms);
  const checkpoint = traces.find((one) => one.type === 'plane.checkpoint')?.mechanism ?? null;
  return { state: { ...state, window: { ...window, checkpoint } }, entries: [...entries, ...traces] };
}

function live({ entries, state }: Folded, what: LifeKind): Folded {
  if (what === 'prompted') return { state: { ...state, floor: forgiven(state.floor) }, entries };
  if ((what !== 'ended' && what !== 'resumed') || state.window.actions === 0) return { state, entries };
  return closed({ entries, state }, 'end');
}

/**
 * Whether the present window has a checkpoint, at that time: one that has run out is over, though no event
 * has said so yet.
 */
export function hasCheckpoint(state: PlaneState, settings: PlaneSettings, nowMs: number): boolean {
  const { window } = state;
  return window.checkpoint !== null && !isSpent(window, termsNow(state, settings), nowMs);
}

/** The time, if the client tells it. */
function timeOf({ nowMs }: PlaneState, { telemetry }: PlaneSettings): number | undefined {
  return telemetry.includes('time') ? nowMs : undefined;
}

/** The signs that the floor lets through now. */
function dueNow(state: PlaneState, settings: PlaneSettings): readonly WaitingSign[] {
  const nowMs = timeOf(state, settings);
  return state.waiting.filter((one) => lets(state.floor, one.isProtected, settings.floor, nowMs));
}

/** The window ends before this event, with which the next one begins. */
function boundary(
  { entries, state }: Folded,
  due: readonly WaitingSign[],
  event: PlaneEvent,
  settings: PlaneSettings,
): Folded {
  const { nowMs, window } = state;
  const isProtected = due.some((one) => one.isProtected);
  const why = due.map((one) => one.why);
  const shift = due.find((one) => one.from !== undefined);
  const [from, to] = [shift?.from, shift?.to];
  const tier = event.kind === 'life' ? window.tier : riskier(window.tier, tierOf(event));
  const looks = why.some((one) => one === 'failing' || one === 'repeating') ? 'back' : 'ahead';
  const text = steerText({ window, why, from, to, nowMs });
  const drawing: PlaneEntry = {
    type: 'plane.boundary',
    window: window.number,
    why,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    tier,
  };
  const ended = closed({ state, entries: [...entries, drawing] }, 'boundary');
  const next: PlaneState = {
    ...ended.state,
    // An ordinary sign that waited is answered by this boundary, whatever its tier.
    waiting: isProtected ? [] : state.waiting.filter((one) => one.isProtected),
    floor: drawn(state.floor, isProtected, nowMs),
  };
  return steered(
    { state: next, entries: ended.entries },
    { looks, text, window: window.number, tier },
    settings,
  );
}

/**
 * Closes a window that has run out. That is quiet, unless something in it went wrong or cannot be taken back.
 */
function backstop(folded: Folded, settings: PlaneSettings): Folded {
  const { nowMs, window } = folded.state;
  const { number, tier } = window;
  if (!isSpent(window, termsNow(folded.state, settings), timeOf(folded.state, settings))) return folded;
  const text = steerText({ window, why: [], from: undefined, to: undefined, nowMs });
  const ended = closed(folded, 'backstop');
  const isTrouble = tier === 'protected' || (tier === 'ordinary' && window.failures >= TROUBLE);
  if (!isTrouble) return skipped(ended, 'steer', 'quiet', number);
  return steered(ended, { looks: 'back', text, window: number, tier }, settings);
}

function steered(
  { entries, state }: Folded,
  steer: {
    readonly looks: 'ahead' | 'back';
    readonly text: string;
    readonly window: number;
    readonly tier: WindowClosed['tier'];
  },
  { modes, role, takesContext }: PlaneSettings,
): Folded {
  const { looks, text, tier, window } = steer;
  const skip = (reason: SkipReason): Folded => skipped({ entries, state }, 'steer', reason, window);
  if (modeOf(modes, tier, role) === 'observe') return skip('mode');
  if (state.isHeldOut) return skip('held_out');
  if (!takesContext) return skip('channel');
  const times = paced(state.steered, state.nowMs);
  if (times === undefined) return skip('rate');
  return {
    state: { ...state, steered: [...times] },
    entries: [...entries, { type: 'plane.steer', window, looks, text }],
  };
}

/** Closes the window and opens the next one. */
function closed({ entries, state }: Folded, by: WindowClosed['by']): Folded {
  const { isHeldOut, nowMs, repository, window } = state;
  const end: WindowClosed = {
    type: 'plane.window',
    what: 'closed',
    window: window.number,
    by,
    tier: window.tier,
    actions: window.actions,
    ms: nowMs - window.sinceMs,
    repository,
    task: mostly(window),
    mix: mixOf(state),
    held_out: isHeldOut,
  };
  const without: Folded = { state, entries: [...entries, end] };
  const ended = window.checkpoint === null ? skipped(without, 'checkpoint', 'evidence') : without;
  const next = opened(window.number + 1, nowMs, window.unchecked);
  return {
    state: { ...state, window: next },
    entries: [...ended.entries, { type: 'plane.window', what: 'opened', window: next.number }],
  };
}

function skipped(
  { entries, state }: Folded,
  what: 'boundary' | 'checkpoint' | 'steer',
  reason: SkipReason,
  window: number = state.window.number,
): Folded {
  return { state, entries: [...entries, { type: 'plane.skip', what, window, reason }] };
}

/**
 * The terms of the window as it is now. In the hold-out it may go as far as anything that can be learnt: what
 * is learnt from must not have been cut off by it.
 */
function termsNow(state: PlaneState, { baselines, terms }: PlaneSettings): Terms {
  const { isHeldOut, repository, window } = state;
  const fixed = terms[window.tier];
  if (window.tier === 'protected') return fixed;
  if (isHeldOut) return { actions: fixed.actions * MOST, ms: fixed.ms * MOST };
  return termsOf(baselines, { repository, task: mostly(window), mix: mixOf(state) }, fixed) ?? fixed;
}

function mixOf({ window: { actions, kinds } }: PlaneState): WindowClosed['mix'] {
  if (kinds.explore * 3 >= actions * 2) return 'looking';
  return kinds.explore * 3 <= actions ? 'changing' : 'mixed';
}

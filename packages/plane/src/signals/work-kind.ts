import { sha256Hex } from '@subluminal/core-types';
import * as z from 'zod';
import type { Action, PlaneEvent } from '../event.js';
import { isShell, kindOf } from '../work/kind.js';
import { WORK_KINDS, type WorkKind } from '../work/work-kinds.js';
import type { Seen, Signal } from './signal.js';

/** Points that an action gives to its kind of work. */
const POINTS = 4;

/** Points at which another kind counts as the work that is done now: looking around takes longest. */
const PERSISTS: Readonly<Record<WorkKind, number>> = {
  change: 7,
  check: 8,
  deliver: 8,
  explore: 16,
  other: 0,
};

/** The same for whoever looks around after a prompt. */
const ASKED = 8;

/**
 * Points that a kind loses with each action of the work that goes on, and with each change. One edit forgets
 * what was looked at.
 */
const FORGETS: Readonly<Record<WorkKind, number>> = {
  change: 1,
  check: 4,
  deliver: 4,
  explore: 16,
  other: 0,
};

/** Going back to the kind that was just left takes so much more each time, and so much at most. */
const RETURN = 4;
const MOST_RETURNS = 6;

/** A phase of so many actions is one by itself: going back from it costs nothing more. */
const SETTLED = 8;

const MOST_POINTS = 64;

const kind = z.enum(WORK_KINDS);
const points = z.int().min(0).max(MOST_POINTS);

export const workKindMemory = z.strictObject({
  phase: kind,
  left: kind,
  points: z.strictObject({ change: points, check: points, deliver: points, explore: points, other: points }),
  returns: z.int().min(0).max(MOST_RETURNS),
  actions: z.int().min(0).max(SETTLED),
  /** A person has said something, and nothing was changed since. */
  isAsked: z.boolean(),
  /** A hash of the last command; empty where the last action was none. */
  last: z.string().max(16),
});

export type WorkKindMemory = Readonly<z.infer<typeof workKindMemory>>;

const NO_POINTS = { change: 0, check: 0, deliver: 0, explore: 0, other: 0 };

/** The work has become of another kind, and has stayed so. */
export const workKind: Signal<WorkKindMemory> = {
  needs: ['target', 'tool'],
  start: {
    phase: 'other',
    left: 'other',
    points: NO_POINTS,
    returns: 0,
    actions: 0,
    isAsked: false,
    last: '',
  },
  see,
};

function see(memory: WorkKindMemory, event: PlaneEvent): Seen<WorkKindMemory> {
  // A person who says something else asks for another kind of work.
  if (event.kind === 'life')
    return { memory: event.what === 'prompted' ? { ...memory, returns: 0, isAsked: true } : memory };
  const last = commandHash(event);
  // A command that comes again adds nothing to what it was the first time.
  if (last !== '' && last === memory.last) return { memory };
  const now = kindOf(event);
  if (now === 'other') return { memory: { ...memory, last } };
  return shift({ ...memory, last, isAsked: memory.isAsked && (now === 'explore' || now === 'deliver') }, now);
}

function shift(memory: WorkKindMemory, now: WorkKind): Seen<WorkKindMemory> {
  const { isAsked, last, left, phase } = memory;
  if (phase === 'other') return { memory: { ...memory, phase: now, actions: 1 } };
  const actions = Math.min(SETTLED, memory.actions + 1);
  const had = now === phase || now === 'change' ? forgotten(memory.points, now) : memory.points;
  if (now === phase) return { memory: { ...memory, actions, points: had } };
  const got = Math.min(MOST_POINTS, had[now] + POINTS);
  const needed = now === 'explore' && isAsked ? ASKED : PERSISTS[now];
  if (got < needed + (now === left ? memory.returns * RETURN : 0))
    return { memory: { ...memory, actions, points: { ...had, [now]: got } } };
  const isFlapping = now === left && memory.actions < SETTLED;
  return {
    memory: {
      phase: now,
      left: phase,
      points: NO_POINTS,
      returns: isFlapping ? Math.min(MOST_RETURNS, memory.returns + 1) : Math.max(0, memory.returns - 1),
      actions: Math.min(SETTLED, Math.ceil(got / POINTS)),
      isAsked: false,
      last,
    },
    sign: { why: 'kind', isProtected: false, from: phase, to: now },
  };
}

function forgotten(old: WorkKindMemory['points'], now: WorkKind): WorkKindMemory['points'] {
  const less = (one: WorkKind): number => (one === now ? old[one] : Math.max(0, old[one] - FORGETS[one]));
  return {
    change: less('change'),
    check: less('check'),
    deliver: less('deliver'),
    explore: less('explore'),
    other: 0,
  };
}

function commandHash({ target, tool }: Action): string {
  return isShell(tool) && target !== undefined ? sha256Hex(target).slice(0, 16) : '';
}

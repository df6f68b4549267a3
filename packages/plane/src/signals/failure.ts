import { sha256Hex } from '@subluminal/core-types';
import * as z from 'zod';
import type { Action, PlaneEvent } from '../event.js';
import { isShell, kindOf } from '../work/kind.js';
import type { Seen, Sign, Signal } from './signal.js';

/** So many calls that are the same, one behind the other, are a loop. A file is read in parts. */
const SAME_COMMANDS = 4;
const SAME_LOOKS = 8;

/** A command that comes again after this time is waited for. */
const WAITS_MS = 25_000;

/** So many failures among so many actions are trouble; so few end it. */
const FAILURES = 4;
const LOOKED_BACK = 8;
const CALM = 1;

export const failureMemory = z.strictObject({
  /** A hash of the last tool and target; empty at first. */
  last: z.string().max(16),
  lastMs: z.int().min(0),
  same: z.int().min(0).max(SAME_LOOKS),
  toldSame: z.boolean(),
  /** Whether each of the last actions failed, the newest last. */
  failed: z.array(z.boolean()).max(LOOKED_BACK),
  toldFailing: z.boolean(),
});

export type FailureMemory = Readonly<z.infer<typeof failureMemory>>;

/**
 * The work repeats itself, or fails more often than not. Without a status there are repetitions alone. An
 * edit shows its file and not what it writes, so edits of one file are no repetition.
 */
export const failure: Signal<FailureMemory> = {
  needs: ['target', 'time', 'tool'],
  start: { last: '', lastMs: 0, same: 0, toldSame: false, failed: [], toldFailing: false },
  see,
};

function see(memory: FailureMemory, event: PlaneEvent): Seen<FailureMemory> {
  if (event.kind === 'life') return { memory };
  const repeated = repeating(memory, event);
  const failing = failures(memory, event);
  // One trouble at a time: a loop of failures is told of once.
  const isTold = memory.toldSame || memory.toldFailing;
  const sign: Sign | undefined = isTold
    ? undefined
    : repeated.isLoop
      ? { why: 'repeating', isProtected: false }
      : failing.isTrouble
        ? { why: 'failing', isProtected: false }
        : undefined;
  return {
    memory: { ...repeated.memory, ...failing.memory },
    ...(sign === undefined ? {} : { sign }),
  };
}

function repeating(
  memory: FailureMemory,
  { atMs, target, tool }: Action,
): { readonly memory: Omit<FailureMemory, 'failed' | 'toldFailing'>; readonly isLoop: boolean } {
  if (target === undefined || kindOf({ target, tool }) === 'change')
    return { memory: { last: '', lastMs: atMs, same: 0, toldSame: false }, isLoop: false };
  const last = sha256Hex(JSON.stringify([tool, target])).slice(0, 16);
  const isSame = last === memory.last && atMs - memory.lastMs < WAITS_MS;
  const same = isSame ? Math.min(SAME_LOOKS, memory.same + 1) : 1;
  const isLoop = same >= (isShell(tool) ? SAME_COMMANDS : SAME_LOOKS) && !(isSame && memory.toldSame);
  return { memory: { last, lastMs: atMs, same, toldSame: (isSame && memory.toldSame) || isLoop }, isLoop };
}

function failures(
  memory: FailureMemory,
  { status }: Action,
): { readonly memory: Pick<FailureMemory, 'failed' | 'toldFailing'>; readonly isTrouble: boolean } {
  const { failed, toldFailing } = memory;
  if (status === undefined) return { memory: { failed, toldFailing }, isTrouble: false };
  const recent = [...failed, status === 'failed' || status === 'refused'].slice(-LOOKED_BACK);
  const count = recent.filter(Boolean).length;
  const isTrouble = !toldFailing && count >= FAILURES;
  return { memory: { failed: recent, toldFailing: isTrouble || (toldFailing && count > CALM) }, isTrouble };
}

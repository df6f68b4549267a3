import { constants } from 'node:os';
import type { RunStatus } from '@subluminal/core-types';
import { EXIT } from '../program/exit/codes.js';

/** How a child process ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Signals by which a person or a system ends a run, rather than the run itself failing. */
const CANCELLING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** The exit code of a child as a shell tells it: its own, or 128 + n when signal n ended it. */
export function exitCodeOfChild(end: ChildEnd): number {
  if (end.signal !== null) return 128 + constants.signals[end.signal];
  return end.code ?? 1;
}

/**
 * The status of the run: CANCELLED when one of those signals ended the child, or reached `sub` first and the
 * child then ended with anything but 0; else by the exit code.
 */
export function runStatusOf(end: ChildEnd, received: NodeJS.Signals | undefined): RunStatus {
  if (end.code === 0) return 'SUCCEEDED';
  if (end.signal !== null && CANCELLING.includes(end.signal)) return 'CANCELLED';
  return received === undefined ? 'FAILED' : 'CANCELLED';
}

/** The facts that the exit code of a watched run follows from. */
export interface RunOutcome {
  /** That of the command. */
  readonly child: number;
  /** A strict run did what it must not. */
  readonly isViolated: boolean;
  /** Its record is not whole, or (strict) proves nothing. */
  readonly isUnproven: boolean;
  /** Its events could not all be written. */
  readonly isCutOff: boolean;
}

/**
 * The exit code of `sub run`: 3 for violations, whatever the command said; 5 where the record is not whole,
 * since what cannot be proved clean is not; 1 where only the events are not, unless the command has failed
 * itself; else the command's.
 */
export function exitCodeOfRun({ child, isViolated, isUnproven, isCutOff }: RunOutcome): number {
  if (isViolated) return EXIT.refused;
  if (isUnproven) return EXIT.unreachable;
  return isCutOff && child === EXIT.done ? EXIT.failed : child;
}

import { isSublError } from '@subluminal/core-types';

/** How one check came out: `warn` works but should be looked at, `fail` does not work. */
export type Level = 'ok' | 'warn' | 'fail';

/** One line of `sub doctor`. */
export interface Check {
  readonly name: string;
  readonly level: Level;
  readonly message: string;
  /** The next step; present unless all is well. */
  readonly help?: string;
}

/** A check that came out well. */
export function ok(name: string, message: string): Check {
  return { name, level: 'ok', message };
}

/** A check that found something. */
export function found(name: string, level: 'warn' | 'fail', message: string, help: string): Check {
  return { name, level, message, help };
}

/** A check's own error as its result: a doctor that stops at the first thing that is broken is of no use. */
export function failedWith(name: string, error: unknown, help: string): Check {
  const message = error instanceof Error ? error.message : String(error);
  return found(name, 'fail', message, isSublError(error) && error.help !== undefined ? error.help : help);
}

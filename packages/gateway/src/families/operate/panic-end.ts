import type { Panic } from '../../panic/panic.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `panic.end`: everything may go on. */
export function panicEnd(panic: Panic): ActionOf<'panic.end'> {
  return operate(async () => ({ resumed: await panic.end() }));
}

import { panicData } from '../../panic/panic-data.js';
import type { Panic } from '../../panic/panic.js';
import { success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { life, TELLS } from './life.js';

/**
 * `panic.begin`: everything is stopped. Its entries are its own, since it is carried out also where nothing
 * can be recorded any more.
 */
export function panicBegin(panic: Panic): ActionOf<'panic.begin'> {
  return life(TELLS, (_call, { reason }) => ({
    record: () => 'own',
    execute: async () => {
      const already = panic.current !== undefined;
      const ended = await panic.begin(reason);
      return success({ already, runs_ended: ended, ...panicData(panic) });
    },
  }));
}

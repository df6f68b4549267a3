import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import type { Panic } from '../../panic/panic.js';

/** `panic.begin` and `panic.end`. */
export function panicHandlers(panic: Panic): Readonly<Record<'panic.begin' | 'panic.end', ActionHandler>> {
  return {
    'panic.begin': {
      entries: () => 'own',
      execute: async (call) => {
        const was = panic.current !== undefined;
        const ended = await panic.begin(payloadOf(call, 'panic.begin').reason);
        return success({ already: was, runs_ended: ended, ...panicData(panic) });
      },
    },
    'panic.end': {
      execute: async () => success({ resumed: await panic.end() }),
    },
  };
}

/** Whether everything is stopped, as answers say it. */
export function panicData({ current }: Panic): {
  readonly panicked: { readonly since: string; readonly reason: string } | null;
} {
  if (current === undefined) return { panicked: null };
  return { panicked: { since: new Date(current.sinceMs).toISOString(), reason: current.reason } };
}

import { type ActionOf, operate } from '@subluminal/gateway';
import type { MadeUnlock } from './session/sessions.js';

/** The operator's actions on the page, and the gateway's account of its sessions. */
export interface UiActions {
  readonly 'ui.listen': ActionOf<'ui.listen'>;
  readonly 'ui.unlock': ActionOf<'ui.unlock'>;
  readonly 'ui.end': ActionOf<'ui.end'>;
  readonly 'ui.session': ActionOf<'ui.session'>;
}

/** The work of these actions. */
export interface UiOperated {
  /** Opens the door, and makes a code. */
  readonly listen: () => Promise<{ readonly port: number; readonly host: string; readonly code: string }>;
  readonly unlock: () => MadeUnlock;
  /** Ends every session, and shuts the door. Gives how many there were. */
  readonly end: () => Promise<number>;
}

/** Codes are answered and not recorded. */
export function uiActions(ui: UiOperated): UiActions {
  return {
    'ui.listen': operate(
      async () => ({ ...(await ui.listen()) }),
      ({ port }) => ({ port }),
    ),
    'ui.unlock': operate(
      () => {
        const { begunAt, ...made } = ui.unlock();
        return { ...made, begun_at: begunAt };
      },
      ({ seconds, session }) => ({ seconds, session }),
    ),
    'ui.end': operate(async () => ({ ended: await ui.end() })),
    'ui.session': operate(({ event }) => ({ event })),
  };
}

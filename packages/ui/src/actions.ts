import { isSublError } from '@subluminal/core-types';
import { type ActionOf, operate, pendingEntry, REACHES_NOTHING, success } from '@subluminal/gateway';
import type { MadeUnlock } from './session/sessions.js';
import type { LayerVerbs } from './worlds/worlds.js';

/** The operator's actions on the page, and the gateway's account of its sessions. */
export interface UiActions {
  readonly 'ui.listen': ActionOf<'ui.listen'>;
  readonly 'ui.unlock': ActionOf<'ui.unlock'>;
  readonly 'ui.end': ActionOf<'ui.end'>;
  readonly 'ui.session': ActionOf<'ui.session'>;
  readonly 'ui.layer': ActionOf<'ui.layer'>;
}

/** The work of these actions. */
export interface UiOperated {
  /** Opens the door, and makes a code. */
  readonly listen: () => Promise<{ readonly port: number; readonly host: string; readonly code: string }>;
  readonly unlock: () => MadeUnlock;
  /** Ends every session, and shuts the door. Gives how many there were. */
  readonly end: () => Promise<number>;
  readonly layers: Pick<LayerVerbs, 'decide'>;
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
    'ui.layer': layerAction(ui.layers),
  };
}

/**
 * A page decides on a layer: that it asked, and for what, is recorded before `sub` is started. The entry of
 * that (`layer.commit`, `layer.discard`) names this one, and the result here names that.
 */
function layerAction(layers: Pick<LayerVerbs, 'decide'>): ActionOf<'ui.layer'> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'now',
    record: () => {
      const { does, layer_id, shown, paths, risky = false, overwrite } = payload;
      const over = overwrite === undefined ? {} : { overwrite };
      const decision = { does, layer_id, shown, paths: paths?.length ?? null, risky, ...over };
      return [pendingEntry(call, call.now, { decision })];
    },
    execute: async () => {
      const { caller, pendingSeq } = call;
      if (pendingSeq === undefined) throw new Error('a page decided on a layer without its entry');
      try {
        const done = await layers.decide(caller.source, payload, pendingSeq);
        const { entry, done: count, left, more } = done;
        const detail = { entry, done: count, left: left.length + more };
        return { ...success({ ...done, left: left.map((one) => ({ ...one })) }), facts: { detail } };
      } catch (error) {
        if (!isSublError(error)) throw error;
        const { code, message, help } = error;
        return { status: 'error', error: { code, message, ...(help === undefined ? {} : { help }) } };
      }
    },
  });
}

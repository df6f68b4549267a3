import { isSublError, type JsonObject, type PayloadOf } from '@subluminal/core-types';
import { type ActionOf, operate, pendingEntry, REACHES_NOTHING, success } from '@subluminal/gateway';
import type { RuleVerbs } from './rules/rules.js';
import type { MadeUnlock } from './session/sessions.js';
import type { LayerVerbs } from './worlds/worlds.js';

/** The operator's actions on the page, and the gateway's account of its sessions. */
export interface UiActions {
  readonly 'ui.listen': ActionOf<'ui.listen'>;
  readonly 'ui.unlock': ActionOf<'ui.unlock'>;
  readonly 'ui.end': ActionOf<'ui.end'>;
  readonly 'ui.session': ActionOf<'ui.session'>;
  readonly 'ui.layer': ActionOf<'ui.layer'>;
  readonly 'ui.rule': ActionOf<'ui.rule'>;
}

/** The work of these actions. */
export interface UiOperated {
  /** Opens the door, and makes a code. */
  readonly listen: () => Promise<{ readonly port: number; readonly host: string; readonly code: string }>;
  readonly unlock: () => MadeUnlock;
  /** Ends every session, and shuts the door. Gives how many there were. */
  readonly end: () => Promise<number>;
  readonly layers: Pick<LayerVerbs, 'decide'>;
  readonly rules: Pick<RuleVerbs, 'write'>;
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
    'ui.rule': ruleAction(ui.rules),
  };
}

/**
 * A page decides on a layer. The entry of that (`layer.commit`, `layer.discard`) names this one, and the
 * result here names that.
 */
function layerAction(layers: Pick<LayerVerbs, 'decide'>): ActionOf<'ui.layer'> {
  return byChild<'ui.layer'>(
    ({ does, layer_id, shown, paths, risky = false, overwrite }) => ({
      does,
      layer_id,
      shown,
      paths: paths?.length ?? null,
      risky,
      ...(overwrite === undefined ? {} : { overwrite }),
    }),
    async (asker, payload, entry) => {
      const done = await layers.decide(asker, payload, entry);
      const { entry: own, done: count, left, more } = done;
      const detail = { entry: own, done: count, left: left.length + more };
      return { data: { ...done, left: left.map((one) => ({ ...one })) }, detail };
    },
  );
}

/** A page has a rule written. The result has the hash of the entry of its loading, `policy_loaded`. */
function ruleAction(rules: Pick<RuleVerbs, 'write'>): ActionOf<'ui.rule'> {
  return byChild<'ui.rule'>(
    (payload) => ({ ...payload }),
    async (asker, payload) => {
      const written = { ...(await rules.write(asker, payload)) };
      return { data: written, detail: written };
    },
  );
}

/** The end of what a child did: its answer, and what the record keeps of that. */
interface ChildEnd {
  readonly data: JsonObject;
  readonly detail: JsonObject;
}

/**
 * An action of a page that `sub` carries out. That the page asked, and for what (`decided`), is durable
 * before a child is started.
 */
function byChild<A extends 'ui.layer' | 'ui.rule'>(
  decided: (payload: PayloadOf<A>) => JsonObject,
  carryOut: (asker: string, payload: PayloadOf<A>, entry: number) => Promise<ChildEnd>,
): ActionOf<A> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'now',
    record: () => [pendingEntry(call, call.now, { decision: decided(payload) })],
    execute: async () => {
      const { caller, pendingSeq } = call;
      if (pendingSeq === undefined) throw new Error('a page decided without its entry');
      try {
        const { data, detail } = await carryOut(caller.source, payload, pendingSeq);
        return { ...success(data), facts: { detail } };
      } catch (error) {
        if (!isSublError(error)) throw error;
        const { code, message, help } = error;
        return { status: 'error', error: { code, message, ...(help === undefined ? {} : { help }) } };
      }
    },
  });
}

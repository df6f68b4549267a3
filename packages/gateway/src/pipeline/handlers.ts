import type { EntryInput } from '@subluminal/ledger';
import type { ActionName, AdapterAction } from '@subluminal/core-types';
import type { PipelineCall } from './call.js';
import type { Outcome, Refusal } from './reply.js';

/** What one action does once it may. Errors are thrown as `SublError`s. */
export interface ActionHandler {
  /**
   * The entries that are the record of this action, durable before `execute` runs; without this function it is
   * recorded as `action_pending` and `action_result`. `'own'`: `execute` writes the record itself.
   */
  readonly entries?: (call: PipelineCall) => readonly EntryInput[] | 'own' | Refusal;
  /** Where there is no `entries`: what is recorded in one commit with `action_pending`, before it. */
  readonly first?: (call: PipelineCall) => readonly EntryInput[] | Refusal;
  readonly execute: (call: PipelineCall) => Outcome | Promise<Outcome>;
}

/** One handler for every action that no service adapter executes: an action without one does not compile. */
export type HandlerTable = Readonly<Record<Exclude<ActionName, AdapterAction>, ActionHandler>>;

/** Finds what an action does. */
export class ActionHandlers {
  readonly #table: ReadonlyMap<string, ActionHandler>;

  constructor(table: HandlerTable) {
    this.#table = new Map(Object.entries(table));
  }

  /** The action's own entries, undefined where it is recorded as pending and result. */
  entries(call: PipelineCall): readonly EntryInput[] | 'own' | Refusal | undefined {
    return this.#table.get(call.read.action)?.entries?.(call);
  }

  /** The entries that stand before the pending one, in its commit. */
  first(call: PipelineCall): readonly EntryInput[] | Refusal {
    return this.#table.get(call.read.action)?.first?.(call) ?? [];
  }

  /** The handler of an action that is not executed by a service adapter. */
  of(action: ActionName): ActionHandler {
    const handler = this.#table.get(action);
    if (handler === undefined) throw new Error(`no handler for \`${action}\``);
    return handler;
  }
}

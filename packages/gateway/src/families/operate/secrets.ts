import { type JsonObject, redact, secretProblem, SublError } from '@subluminal/core-types';
import type { PipelineCall } from '../../pipeline/call.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import { requestFields } from '../../pipeline/entries.js';
import type { Recorder } from '../../recording/recorder.js';
import type { SecretFacts, SecretStore } from '../../secrets/store.js';

type Operated =
  | 'secrets.list'
  | 'secrets.add'
  | 'secrets.remove'
  | 'secrets.reveal'
  | 'secrets.kept'
  | 'secrets.bound';

/** What the operator's actions on secrets need. */
export interface SecretHandlerParts {
  readonly store: SecretStore;
  readonly recorder: Recorder;
}

/**
 * The operator's actions on secrets. Each is an entry of its own (`secret_changed`) before it is done: names and no value, which an
 * entry of pending and result would repeat from the answer.
 */
export function secretHandlers({
  store,
  recorder,
}: SecretHandlerParts): Readonly<Record<Operated, ActionHandler>> {
  const changing = (execute: ActionHandler['execute']): ActionHandler => ({ entries: () => 'own', execute });
  const stored = (call: PipelineCall, action: 'secrets.remove' | 'secrets.reveal'): string => {
    const { name } = payloadOf(call, action);
    if (store.has(name)) return name;
    throw new SublError('not_found', `there is no secret \`${name}\` in the store`);
  };
  return {
    'secrets.list': { execute: () => success({ secrets: store.all().map(factsData) }) },
    'secrets.add': changing(async (call) => {
      const { name, value, replace } = payloadOf(call, 'secrets.add');
      const problem = secretProblem(value, { redact: false });
      if (problem !== undefined) throw new SublError('usage', `this cannot be a secret: ${problem}`);
      store.assertRoom(name, replace);
      const change = store.has(name) ? 'replaced' : 'added';
      await record(recorder, call, { change, name, source: 'store' });
      // What came meanwhile is not overwritten without having been asked for.
      store.assertRoom(name, replace);
      store.put(name, value);
      return success({ name, change });
    }),
    'secrets.remove': changing(async (call) => {
      const name = stored(call, 'secrets.remove');
      await record(recorder, call, { change: 'removed', name, source: 'store' });
      store.remove(name);
      return success({ name });
    }),
    'secrets.reveal': changing(async (call) => {
      const name = stored(call, 'secrets.reveal');
      await record(recorder, call, { change: 'revealed', name, source: 'store' });
      return success({ name, value: store.read(name) });
    }),
    'secrets.kept': changing(async (call) => {
      await record(recorder, call, { ...payloadOf(call, 'secrets.kept'), source: 'keychain' });
      return success({});
    }),
    'secrets.bound': changing(async (call) => {
      const { secret_ref, server_name, inject, hosts, url, ...facts } = payloadOf(call, 'secrets.bound');
      await record(recorder, call, {
        ...facts,
        ...(inject === 'egress' ? { inject, hosts: [...(hosts ?? [])] } : {}),
        ...(inject === 'header' ? { inject, url: redact(url ?? '').text } : {}),
        server_name: redact(server_name).text,
        secret_ref: redact(secret_ref).text,
      });
      return success({});
    }),
  };
}

async function record(recorder: Recorder, call: PipelineCall, secret: JsonObject): Promise<void> {
  const result = await recorder.append({
    entries: [
      {
        type: 'secret_changed',
        ts: call.now,
        runId: null,
        data: { req: requestFields(call), secret },
      },
    ],
  });
  if (!result.ok) throw new SublError('audit_unavailable', 'this could not be recorded, so it has no effect');
}

function factsData({ name, createdMs, changedMs, usedMs, uses }: SecretFacts): JsonObject {
  return {
    name,
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    used_at: usedMs === null ? null : new Date(usedMs).toISOString(),
    uses,
  };
}

import { isJsonObject, type ActionName, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { UiRefusal } from '../door/refusal.js';
import type { UiSession } from '../session/sessions.js';

/** A successful answer of the gateway to a session. */
export interface Asked {
  readonly data: JsonValue;
  readonly auditRef: string;
}

/** Asks the gateway for a session. Any other answer than a success is thrown as a refusal with its code. */
export async function askGateway(
  { inner }: UiSession,
  action: ActionName,
  payload: JsonObject = {},
): Promise<Asked> {
  const { auditRef, data, error, status } = await inner.ask(action, payload);
  if (status === 'success') return { data: data ?? null, auditRef };
  // As of every answer to what was shown.
  if (error?.code === 'layer_changed' || error?.code === 'policy_changed')
    throw new UiRefusal(409, 'changed', error.message, error.help);
  // A page may ask for all that it asks for: its session was locked again meanwhile.
  if (error?.code === 'not_permitted') throw new UiRefusal(403, 'locked', error.message, error.help);
  throw new UiRefusal(422, error?.code ?? status, error?.message ?? 'it was refused', error?.help);
}

/** The same, of which the data is an object. */
export async function objectOf(
  session: UiSession,
  action: ActionName,
  payload: JsonObject = {},
): Promise<JsonObject> {
  const { data } = await askGateway(session, action, payload);
  if (isJsonObject(data)) return data;
  throw new UiRefusal(503, 'failed', `\`${action}\` gave no object`);
}

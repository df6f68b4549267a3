import { isJsonObject, isSublError, type JsonObject, listAt, textAt } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import type { Call } from '../program/call.js';

/** The plane's part of the gateway's status; undefined where no gateway runs. */
export async function livePlane(call: Call): Promise<JsonObject | undefined> {
  try {
    const status = await askOperator(call.home, call.session.now, 'gateway.status');
    const plane = isJsonObject(status) ? status['plane'] : undefined;
    return plane !== undefined && isJsonObject(plane) ? plane : undefined;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

/** The agents that are followed, the one seen last first. */
export function agentsIn(plane: JsonObject): readonly JsonObject[] {
  return listAt(plane, 'agents');
}

/** The mode of a tier. */
export function modeIn(plane: JsonObject, tier: string): string {
  return textAt(plane, 'modes', tier);
}

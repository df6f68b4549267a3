import { isSublError, objectAt, type JsonObject } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';

/**
 * Asks the running gateway for its status. Undefined where none answers: the check of the gateway tells of
 * that.
 */
export async function runningStatus(home: HomePaths, now: () => number): Promise<JsonObject | undefined> {
  try {
    return objectAt(await askOperator(home, now, 'gateway.status'));
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

import { isSublError, type JsonObject } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { objectAt } from '../output/fields.js';

/** What the gateway that runs says of itself; undefined where none answers, of which the check of the gateway tells. */
export async function runningStatus(home: HomePaths, now: () => number): Promise<JsonObject | undefined> {
  try {
    return objectAt(await askOperator(home, now, 'gateway.status'));
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

import { objectAt, type JsonObject } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { attempted } from '../program/attempt.js';

/**
 * Asks the running gateway for its status. Undefined where none answers: the check of the gateway tells of
 * that.
 */
export async function runningStatus(home: HomePaths, now: () => number): Promise<JsonObject | undefined> {
  const status = await attempted(askOperator(home, now, 'gateway.status'));
  return status === undefined ? undefined : objectAt(status);
}

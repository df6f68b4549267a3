import { isSublError, SublError, textAt, textsAt, type JsonValue } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import { isAbsence } from '../gateway/stop.js';
import type { Call } from '../program/call.js';

/** The gateway reads a saved file within two seconds. */
const PATIENCE_MS = 6000;
const POLL_MS = 100;

/** When a setting that was written takes effect: it has, with a restart, or with the next start. */
export type TakesEffect = 'now' | 'with a restart' | 'with a start';

/**
 * Waits until the gateway has read the file of this hash, and asks it whether the setting is in force. Throws
 * the gateway's own error if it did not take the file, and `failed` if it did not read it.
 */
export async function whenInForce(call: Call, key: string, sha256: string): Promise<TakesEffect> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const status = await statusOf(call);
    if (status === undefined) return 'with a start';
    if (textAt(status, 'config', 'sha256') === sha256)
      return textsAt(status, 'config', 'waiting').some((one) => one === key || one.startsWith(`${key}.`))
        ? 'with a restart'
        : 'now';
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  const status = await statusOf(call);
  const why = textAt(status ?? null, 'config', 'error', 'message');
  throw new SublError(
    'failed',
    `it is written, and not in force: ${why || 'the gateway has not read it yet'}`,
    {
      help: textAt(status ?? null, 'config', 'error', 'help') || '`sub status` says when it is',
    },
  );
}

async function statusOf(call: Call): Promise<JsonValue | undefined> {
  try {
    return await askOperator(call.home, call.session.now, 'gateway.status');
  } catch (error) {
    if (isAbsence(error, call.home) || isSublError(error, 'home_missing')) return undefined;
    throw error;
  }
}

import { isSublError, SublError } from '@subluminal/core-types';
import { connectGateway, readCredential } from '@subluminal/ipc';
import type { Call } from '../program/call.js';
import { type InsideRun, insideRun } from './inside-run.js';
import { liveRunAround } from './live-run.js';

const RECORD_TIMEOUT_MS = 5000;

/**
 * Throws `inside_run` in any process of a run: verbs that widen what is allowed, or stop the gateway, are for
 * the operator alone. The message names no way around, because an agent reads it. The gateway refuses a run's
 * key all the same. This check also stops an agent that found the operator's key file lying beside its own.
 * The attempt is recorded, with the run where it lives.
 */
export async function assertOutsideRun(call: Call): Promise<void> {
  const inside = (await insideRun(call)) ?? (await liveRunAround(call));
  if (inside === undefined) return;
  await tellGateway(call, inside);
  throw refusedInside();
}

/** Refuses what is for the operator alone. */
export function refusedInside(): SublError {
  return new SublError('inside_run', 'this command is refused inside a run', {
    help: 'only the operator can decide this, outside of the run',
  });
}

/** The verb is refused whether or not a gateway is there to write it down. */
async function tellGateway({ home, session, verb }: Call, { runId, ticket }: InsideRun): Promise<void> {
  try {
    const client = await connectGateway({
      socketPath: home.socket,
      gatewayFile: home.gatewayFile,
      credential: ticket?.credential ?? readCredential(home.operatorKey),
      clock: session.now,
    });
    try {
      const payload = ticket === undefined ? { verb, run_id: runId } : { verb };
      await client.request('verb.refused', payload, { timeoutMs: RECORD_TIMEOUT_MS });
    } finally {
      client.close();
    }
  } catch (error) {
    if (!isSublError(error)) throw error;
  }
}

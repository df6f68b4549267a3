import { type Credential, isSublError, SublError, type Ticket } from '@subluminal/core-types';
import { ancestryDoubt, connectGateway, defaultHome, namedHomes, readCredential } from '@subluminal/ipc';
import { Call } from '../program/call.js';
import { type InsideRun, insideRun } from './inside-run.js';
import { liveRunAround } from './live-run.js';

const RECORD_TIMEOUT_MS = 5000;

/**
 * Throws `inside_run` in any process of a run: verbs that widen what is allowed, or stop the gateway, are for
 * the operator alone. The message names no way around, because an agent reads it. The gateway refuses a run's
 * key all the same. This check also stops an agent that found the operator's key file lying beside its own.
 * The attempt is recorded, with the run where it lives. Also asked are the homes that the verb does not name:
 * it may act on a file of theirs, or on the account.
 */
export async function assertOutsideRun(call: Call): Promise<void> {
  for (const asked of [call, ...otherHomes(call)]) {
    const inside = await runAround(asked);
    if (inside !== undefined) throw await refusal(asked, inside);
  }
}

/** The same use of a verb, in the account's own home and in those that the environments around it name. */
function otherHomes({ home, session, verb }: Call): readonly Call[] {
  const named = new Set([defaultHome(), ...namedHomes(session.environment.all)]);
  named.delete(home.home);
  return [...named].map((folder) => new Call(session, { verb, args: [], home: folder }, {}));
}

/** Whether the operator reads what is shown; nobody does where that cannot be told. */
export async function isOutsideRun(call: Call): Promise<boolean> {
  try {
    return (await runAround(call)) === undefined;
  } catch (error) {
    if (isSublError(error)) return false;
    throw error;
  }
}

/**
 * The key of the run around this process, undefined outside of every run. Without its key a run asks for
 * nothing.
 */
export async function keyAround(call: Call): Promise<Credential | undefined> {
  const inside = await runAround(call);
  if (inside !== undefined && inside.ticket === undefined) throw await refusal(call, inside);
  return inside?.ticket?.credential;
}

/**
 * The ticket of the live run around this process. Undefined outside, and where that run is over: what it left
 * behind is a run of its own.
 */
export async function ticketAround(call: Call): Promise<Ticket | undefined> {
  const inside = await insideRun(call);
  if (inside?.ticket !== undefined) return inside.ticket;
  const live = inside === undefined || inside.isOver === true ? await liveAround(call) : inside;
  if (live !== undefined) throw await refusal(call, live);
  return undefined;
}

/** The run that this process is inside of, by the folder of its home, else by what its gateway says. */
async function runAround(call: Call): Promise<InsideRun | undefined> {
  return (await insideRun(call)) ?? (await liveAround(call));
}

/** Where a namespace hides the processes above this one, a run is among them. */
async function liveAround(call: Call): Promise<InsideRun | undefined> {
  const hidden = ancestryDoubt() === undefined ? undefined : { runId: undefined, ticket: undefined };
  return (await liveRunAround(call)) ?? hidden;
}

/** The refusal of what is for the operator alone, once the attempt is recorded. */
async function refusal(call: Call, inside: InsideRun): Promise<SublError> {
  await tellGateway(call, inside);
  const doubt = inside.runId === undefined ? ancestryDoubt() : undefined;
  const where =
    doubt === undefined ? 'inside a run' : `where it cannot be told whether a run is around: ${doubt}`;
  return new SublError('inside_run', `this command is refused ${where}`, {
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
      const payload = ticket === undefined && runId !== undefined ? { verb, run_id: runId } : { verb };
      await client.request('verb.refused', payload, { timeoutMs: RECORD_TIMEOUT_MS });
    } finally {
      client.close();
    }
  } catch (error) {
    if (!isSublError(error)) throw error;
  }
}

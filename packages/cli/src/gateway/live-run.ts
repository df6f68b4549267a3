import { isJsonObject, isSublError, type JsonValue, type ProcessIdentity } from '@subluminal/core-types';
import { ancestors, holdersOfSession, namedRuns } from '@subluminal/ipc';
import type { Call } from '../program/call.js';
import { askOperator } from './door.js';
import type { InsideRun } from './inside-run.js';

/** The gateway lists no more at once; the newest come first. */
const MAX_RUNS = 1000;

const BUSY: ReadonlySet<string> = new Set(['timed_out', 'overloaded', 'rate_limited']);

interface LiveRun {
  readonly runId: string;
  readonly holder: ProcessIdentity;
}

/**
 * The live run that this process is inside of, by what the gateway says that the verb is about to ask. The
 * folder of a home is the word of whoever names it: an agent can link the key and the socket into a folder
 * that holds no ticket. Undefined outside of every run, and where no gateway answers: then nothing is asked.
 */
export async function liveRunAround(call: Call): Promise<InsideRun | undefined> {
  const runs = await liveRuns(call);
  if (runs.length === 0) return undefined;
  const above = ancestors();
  const named = namedRuns(call.session.environment.all);
  const around = holdersOfSession(runs.map(({ holder }) => holder));
  const found = runs.find(
    ({ runId, holder }) =>
      named.includes(runId) ||
      above.some(({ pid, start }) => pid === holder.pid && start === holder.start) ||
      around.includes(holder),
  );
  return found === undefined ? undefined : { runId: found.runId, ticket: undefined };
}

async function liveRuns({ home, session }: Call): Promise<readonly LiveRun[]> {
  try {
    const data = await askOperator(home, session.now, 'runs.list', { limit: MAX_RUNS });
    const runs = isJsonObject(data) && Array.isArray(data['runs']) ? data['runs'] : [];
    return runs.flatMap(liveRun);
  } catch (error) {
    // A busy gateway is there, and may know of a run: only one that does not answer at all asks for nothing.
    if (isSublError(error) && !BUSY.has(error.code)) return [];
    throw error;
  }
}

function liveRun(run: JsonValue): readonly LiveRun[] {
  if (!isJsonObject(run) || typeof run['run_id'] !== 'string') return [];
  const holder = run['holder'];
  if (holder === undefined || !isJsonObject(holder)) return [];
  const { pid, start } = holder;
  return typeof start === 'string' && Number.isSafeInteger(Number(pid))
    ? [{ runId: run['run_id'], holder: { pid: Number(pid), start } }]
    : [];
}

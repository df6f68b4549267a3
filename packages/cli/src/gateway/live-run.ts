import {
  isJsonObject,
  isSublError,
  type JsonValue,
  type ProcessIdentity,
  SublError,
} from '@subluminal/core-types';
import { ancestors, gatewayListens, holdersOfSession, namedRuns } from '@subluminal/ipc';
import type { Call } from '../program/call.js';
import { askOperator } from './door.js';
import type { InsideRun } from './inside-run.js';

/** The gateway lists no more at once, the newest first. */
const PAGE = 1000;
/** A gateway has 2,048 runs at most. */
const MAX_PAGES = 8;

interface LiveRun {
  readonly runId: string;
  readonly holder: ProcessIdentity;
}

/**
 * The live run that this process is inside of, by what the gateway says that the verb is about to ask. The
 * folder of a home is the word of whoever names it: an agent can link the key and the socket into a folder
 * that holds no ticket. Undefined outside of every run, and where no gateway listens: then nothing is asked.
 *
 * @throws SublError where one listens and does not say which runs live, because it does not take the key of
 * the home for one.
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

async function liveRuns(call: Call): Promise<readonly LiveRun[]> {
  try {
    return await allRuns(call);
  } catch (error) {
    if (!isSublError(error)) throw error;
    // Another protocol keeps this verb from asking for anything as well.
    if (error.code === 'version_mismatch' || !(await gatewayListens(call.home.socket))) return [];
    throw new SublError(error.code, `the gateway does not say which runs live: ${error.message}`, {
      cause: error,
      help: error.help ?? 'nothing was changed; `sub doctor` says what is wrong',
    });
  }
}

async function allRuns({ home, session }: Call): Promise<readonly LiveRun[]> {
  const found: LiveRun[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const last = found.at(-1);
    const payload = { limit: PAGE, ...(last === undefined ? {} : { before: last.runId }) };
    const data = await askOperator(home, session.now, 'runs.list', payload);
    const runs = isJsonObject(data) && Array.isArray(data['runs']) ? data['runs'] : [];
    found.push(...runs.flatMap(liveRun));
    if (runs.length < PAGE) return found;
  }
  throw new SublError('overloaded', 'more runs live than can be looked at');
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

import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { runNamed } from './find.js';
import { recordOf, type CallRecord } from './record.js';

/** Pages of entries that are looked through for a session. */
const MAX_PAGES = 50;
const PAGE = 1000;
/** Runs that are told of. */
const MAX_RUNS = 16;

/** Something of a client's session: a call that it made, or an event that it told. */
export type SessionStep = { readonly record: CallRecord } | { readonly event: LedgerRow };

/** A session of a client, with its steps in their order. */
export interface ClientSession {
  readonly session: string;
  readonly runId: string;
  readonly steps: Iterable<SessionStep>;
}

/**
 * The session whose id begins so, in each run that tells of it, the newest first: any program of a run can
 * say that it is of a session. Else the sessions of the run that is named so; without a name the newest
 * session. Throws `not_found`, and `usage` where several sessions or runs are named.
 */
export function clientSessions(reader: LedgerReader, named: string | undefined): readonly ClientSession[] {
  if (named === undefined) {
    const [newest] = sessionsWhere(reader, () => true, 1);
    if (newest !== undefined) return [newest];
    throw new SublError('not_found', 'no session of a client is recorded', {
      help: '`sub hooks status` says whether clients ask',
    });
  }
  const found = sessionsWhere(reader, ({ session }) => session.startsWith(named), MAX_RUNS);
  const ids = [...new Set(found.map(({ session }) => session))];
  if (ids.length > 1 && !ids.includes(named)) {
    throw new SublError('usage', `${ids.length} sessions begin with \`${named}\``, {
      help: `say more of one: ${ids.join(', ')}`,
    });
  }
  if (found.length > 0) return found.filter(({ session }) => ids.length === 1 || session === named);
  const run = runNamed(reader, named);
  const ofRun = run === undefined ? [] : sessionsWhere(reader, ({ runId }) => runId === run, MAX_RUNS);
  if (ofRun.length > 0) return ofRun;
  throw new SublError('not_found', `no session of a client begins with \`${named}\`, and no run of one`, {
    help: 'without a name it is the newest; `sub runs` lists the runs',
  });
}

/** The sessions of runs that fit, the newest first, at most so many. */
function sessionsWhere(
  reader: LedgerReader,
  fits: (one: Pick<ClientSession, 'runId' | 'session'>) => boolean,
  most: number,
): readonly ClientSession[] {
  const found = new Map<string, ClientSession>();
  let cursor: number | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { rows, next }: ReturnType<LedgerReader['byType']> = reader.byType('hook_event', {
      limit: PAGE,
      cursor,
    });
    for (const { data, runId } of rows) {
      const session = textAt(data, 'hook', 'session');
      if (runId === null || session === '' || !fits({ session, runId })) continue;
      const key = `${runId} ${session}`;
      if (found.has(key)) continue;
      found.set(key, { session, runId, steps: stepsOf(reader, session, runId) });
      if (found.size === most) return [...found.values()];
    }
    if (next === null) break;
    cursor = next;
  }
  return [...found.values()];
}

function* stepsOf(reader: LedgerReader, session: string, runId: string): Generator<SessionStep> {
  let cursor: number | null = 0;
  while (cursor !== null) {
    const { rows, next }: ReturnType<LedgerReader['byRun']> = reader.byRun(runId, {
      order: 'asc',
      limit: PAGE,
      cursor,
    });
    for (const row of rows) {
      if (row.type === 'hook_event' && textAt(row.data, 'hook', 'session') === session) yield { event: row };
      if (row.type === 'tool_call_start' && textAt(row.data, 'call', 'context', 'session') === session)
        yield { record: recordOf(reader, row) };
    }
    cursor = next;
  }
}

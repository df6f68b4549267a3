import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
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
 * say that it is of a session. Throws `not_found`, and `usage` where several sessions begin so.
 */
export function clientSessions(reader: LedgerReader, named: string): readonly ClientSession[] {
  const found = new Map<string, ClientSession>();
  const ids = new Set<string>();
  let cursor: number | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { rows, next }: ReturnType<LedgerReader['byType']> = reader.byType('hook_event', {
      limit: PAGE,
      cursor,
    });
    for (const { data, runId } of rows) {
      const session = textAt(data, 'hook', 'session');
      if (runId === null || session === '' || !session.startsWith(named)) continue;
      const key = `${runId} ${session}`;
      if (found.has(key) || found.size === MAX_RUNS) continue;
      ids.add(session);
      found.set(key, { session, runId, steps: stepsOf(reader, session, runId) });
    }
    if (next === null) break;
    cursor = next;
  }
  if (ids.size > 1 && !ids.has(named)) {
    throw new SublError('usage', `${ids.size} sessions begin with \`${named}\``, {
      help: `say more of one: ${[...ids].slice(0, MAX_RUNS).join(', ')}`,
    });
  }
  if (found.size > 0) return [...found.values()].filter(({ session }) => ids.size === 1 || session === named);
  throw new SublError('not_found', `no session of a client begins with \`${named}\``, {
    help: '`sub show CALL` names the session of a call that a hook has told of',
  });
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

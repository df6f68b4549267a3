import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { recordOf, type CallRecord } from './record.js';

/** Pages of entries that are looked through for a session. */
const MAX_PAGES = 50;
const PAGE = 1000;

/** Something of a client's session: a call that it made, or an event that it told. */
export type SessionStep = { readonly record: CallRecord } | { readonly event: LedgerRow };

/** A session of a client, with its steps in their order. */
export interface ClientSession {
  readonly session: string;
  readonly runId: string;
  readonly steps: Iterable<SessionStep>;
}

/** The newest session whose id begins so. Throws `not_found`. */
export function clientSession(reader: LedgerReader, named: string): ClientSession {
  let cursor: number | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { rows, next }: ReturnType<LedgerReader['byType']> = reader.byType('hook_event', {
      limit: PAGE,
      cursor,
    });
    for (const { data, runId } of rows) {
      const session = textAt(data, 'hook', 'session');
      if (runId !== null && session !== '' && session.startsWith(named))
        return { session, runId, steps: stepsOf(reader, session, runId) };
    }
    if (next === null) break;
    cursor = next;
  }
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

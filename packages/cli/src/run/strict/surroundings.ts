import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import type { Violations } from './violations.js';

const PAGE = 500;

/** The entries between the first and the last of a run that are not of the run itself. */
export interface Span {
  readonly runId: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Looks for what a strict run needs besides its own entries. Processes that left the run (one that detached
 * itself has no ancestor with a ticket), opened another one, as a server or by `sub run`, and still name it
 * are violations. Tells whether the gateway was started meanwhile: what was asked while there was none is
 * nowhere recorded.
 */
export function lookAround(
  reader: LedgerReader,
  span: Span,
  violations: Violations,
): { wasRestarted: boolean } {
  for (const row of between(reader, 'run_start', span)) {
    if (textAt(row.data, 'claimed_run_id') !== span.runId) continue;
    violations.add({
      server: '',
      name: textAt(row.data, 'agent_id'),
      what: 'NO_TICKET',
      rule: '',
      code: 'ticket_required',
      reason: 'a process left the run and opened one of its own',
    });
  }
  const [start] = between(reader, 'gateway_start', span);
  return { wasRestarted: start !== undefined };
}

function* between(
  reader: LedgerReader,
  type: 'run_start' | 'gateway_start',
  { first, last }: Span,
): Generator<LedgerRow> {
  let cursor: number | null = first;
  while (cursor !== null) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType(type, {
      order: 'asc',
      cursor,
      limit: PAGE,
    });
    for (const row of page.rows) {
      if (row.seq > last) return;
      yield row;
    }
    cursor = page.next;
  }
}

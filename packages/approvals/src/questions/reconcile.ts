import { type JsonObject, objectAt, textAt } from '@subluminal/core-types';
import type { Question } from '@subluminal/gateway';
import type { EntryType, LedgerRow, Page, PageOptions } from '@subluminal/ledger';
import type { QuestionStore } from './question-store.js';

/** The entries of a kind, page by page. */
export interface Entries {
  byType(type: EntryType, options: PageOptions): Page<Pick<LedgerRow, 'data' | 'ts'>>;
}

export interface ReconcileParts {
  readonly store: QuestionStore;
  readonly reader: Entries;
  /** Marks an answer that is durable. */
  readonly mark: (question: Question, answer: Answer) => void;
  /** Writes the entry of a question that is closed and has none. */
  readonly close: (question: Question) => void;
}

/** The answer to a question, as its entry has it. */
export interface Answer {
  readonly ts: number;
  readonly isYes: boolean;
  readonly how: JsonObject;
}

/** A clock may have gone back between a question and its entries; not so far. */
const SLACK_MS = 86_400_000;

/**
 * Brings the questions of `gateway.db` in line with the ledger, where a gateway was killed between the two. A
 * question whose request is not in the ledger was never put. An answer that is there counts, whatever the row
 * says. A closed one without an entry gets it.
 */
export function reconcile({ close, mark, reader, store }: ReconcileParts): void {
  const rows = store.all();
  const [oldest] = rows;
  if (oldest === undefined) return;
  const since = oldest.createdAt - SLACK_MS;
  const put = new Set(entriesOf(reader, 'approval_requested', since).map(({ id }) => id));
  const answers = new Map<string, Answer>();
  for (const type of ['approval_granted', 'approval_denied'] as const)
    for (const { how, id, ts } of entriesOf(reader, type, since))
      answers.set(id, { ts, how, isYes: type === 'approval_granted' });
  for (const question of rows) {
    const answer = answers.get(question.id);
    if (!put.has(question.id)) store.drop(question.id);
    else if (answer === undefined && question.state === 'closed') close(question);
    else if (answer !== undefined && question.state === 'pending') mark(question, answer);
  }
}

interface Found {
  readonly id: string;
  readonly ts: number;
  readonly how: JsonObject;
}

/** The entries of that kind since then, the newest first. */
function entriesOf(reader: Entries, type: EntryType, since: number): readonly Found[] {
  const found: Found[] = [];
  let cursor: number | null = null;
  do {
    const page: ReturnType<Entries['byType']> = reader.byType(type, { order: 'desc', limit: 1000, cursor });
    for (const { data, ts } of page.rows) {
      if (ts < since) return found;
      const how = objectAt(data, 'question');
      found.push({ id: textAt(how, 'id'), ts, how });
    }
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

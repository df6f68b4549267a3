import type { LedgerReader } from '@subluminal/ledger';
import type { RunCounts } from '@subluminal/records';
import { cards, hintCards } from './answers/cards.js';
import { head, health, proof, raw } from './answers/health.js';
import { placesOf } from './answers/places.js';
import { compared, policyFile, policyView } from './answers/policy.js';
import { recordDetail } from './answers/record.js';
import { entryAt, recordsPage } from './answers/records.js';
import { agents, runsPage } from './answers/runs.js';
import { timeline } from './answers/timeline.js';
import type { Question } from './questions.js';
import type { Times } from './times.js';

/** How long the counting of older entries may hold up others. */
const PATIENCE_MS = 200;

export interface AnswerParts {
  readonly reader: LedgerReader;
  readonly ledgerDb: string;
  readonly policyFile: string;
  readonly times: Times;
  readonly counts: RunCounts;
  readonly now: () => number;
}

/** The answer to a question as JSON text. @throws SublError */
export function answer(parts: AnswerParts, question: Question, upTo: number): string {
  return JSON.stringify(valueOf(parts, question, upTo));
}

function valueOf(parts: AnswerParts, question: Question, upTo: number): unknown {
  const { ledgerDb, now, reader } = parts;
  switch (question.ask) {
    case 'records':
      return recordsPage(reader, question, upTo, now);
    case 'record':
      return recordDetail(reader, question.seq);
    case 'histogram':
      return counted(parts, question, upTo);
    case 'at':
      return entryAt(reader, question.ts);
    case 'raw':
      return raw(reader, question.from, question.to);
    case 'runs':
      count(parts, upTo);
      return runsPage(reader, parts.counts, parts.times.sparks, question);
    case 'agents':
      return agents(reader);
    case 'run':
      return timeline(reader, parts.counts, question);
    case 'places':
      return placesOf(reader, question.run, now);
    case 'cards':
      return cards(reader, question.approvals, question.tools);
    case 'hints':
      return { hints: hintCards(reader) };
    case 'policy':
      return policyView(reader, question.policy, parts.policyFile, now);
    case 'compare':
      return compared(reader, question.old, question.new);
    case 'file':
      return policyFile(reader, parts.policyFile, question.current);
    case 'health':
      return health(reader, question.status, now);
    case 'head':
      return head(ledgerDb, question.older);
    case 'proof':
      return proof(ledgerDb, question.seq);
    case 'worlds':
      return reader.byType('world_begin', { limit: 1 }).rows.length > 0;
    case 'known':
      return question.runs.filter((run) => reader.byRun(run, { limit: 1 }).rows.length > 0);
  }
}

function counted(
  parts: AnswerParts,
  { buckets, from, to }: Extract<Question, { ask: 'histogram' }>,
  upTo: number,
): unknown {
  count(parts, upTo);
  return parts.times.histogram(from, to, buckets, upTo);
}

/** Counts what is new, as far as patience goes; the next question goes on. */
function count({ now, times }: AnswerParts, upTo: number): void {
  const until = now() + PATIENCE_MS;
  while (!times.isDone(upTo) && now() < until) times.step(upTo);
}

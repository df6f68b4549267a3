import { newId } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { Approvals, Questions, QuestionStore } from '@subluminal/approvals';
import {
  asksByLimit,
  type Clock,
  type PolicyHolder,
  type Recorder,
  type RunRegistry,
  type Settings,
} from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';
import type { Notices } from './notify.js';

/** Waiting approvals in all, and of one client. */
const MAX_APPROVALS = 1000;
const MAX_APPROVALS_PER_CLIENT = 50;

/** The operator's answers to unusual actions; the operator is told of each question. */
export function composeApprovals(
  db: Database,
  clock: Clock,
  notifier: Pick<Notices, 'tell'>,
  settings: Pick<Settings, 'now'>,
): Approvals {
  return new Approvals(db, clock, newId, {
    expiresAfterMs: () => settings.now.approvals.expires_after_s * 1000,
    maxPending: MAX_APPROVALS,
    maxPendingPerClient: MAX_APPROVALS_PER_CLIENT,
    onAsked: ({ id, client, action, summary, expires_at: expiresAtMs }, { destination }) =>
      notifier.tell({
        event: 'approval_requested',
        id,
        client,
        action,
        summary,
        destination,
        expiresAtMs,
      }),
  });
}

/** The questions to a person about calls; the operator is told of each. */
export function composeQuestions(from: {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly registry: Pick<RunRegistry, 'live'>;
  readonly settings: Pick<Settings, 'now'>;
  readonly policy: Pick<PolicyHolder, 'current'>;
  readonly notifier: Pick<Notices, 'tell'>;
  readonly openReader: () => LedgerReader;
}): Questions {
  const { db, clock, recorder, registry, notifier, policy, settings } = from;
  const questions = new Questions({
    store: new QuestionStore(db),
    recorder,
    clock,
    newId,
    isLimit: (ruleId) => asksByLimit(policy.current.snapshot, ruleId),
    canAsk: () => settings.now.approvals.ask,
    isLive: (runId) => registry.live(runId) !== undefined,
    onAsked: ({ id, runId, server, tool, object, why, expiresAt }) =>
      notifier.tell({
        event: 'approval_requested',
        id,
        client: runId,
        action: `${server}.${tool}`,
        // The words of the rule first: those of the agent may be cut.
        summary: object === '' ? why : `${why}: ${object}`,
        destination: undefined,
        expiresAtMs: expiresAt,
      }),
  });
  const reader = from.openReader();
  try {
    questions.reconcile(reader);
  } finally {
    reader.close();
  }
  return questions;
}

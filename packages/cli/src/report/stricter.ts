import { textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';

/** Runs load policies, too. */
const PAGE = 1000;

/** The strictest starters, and the one below them. */
const STRICTEST: ReadonlySet<string> = new Set(['ci-strict', 'production-read-only']);
const DAILY = 'developer-laptop';

/**
 * The starter that is the next stricter than the policy in force, which is the one that was loaded last;
 * undefined if none is. A policy of one's own is held against the starter for daily work.
 */
export function nextStricter(reader: LedgerReader, env: string): string | undefined {
  const loaded = reader.byType('policy_loaded', { limit: PAGE }).rows.find(({ runId }) => runId === null);
  const inForce = textAt(loaded?.data ?? null, 'policy', 'policy_id');
  if (STRICTEST.has(inForce)) return undefined;
  if (inForce !== DAILY) return DAILY;
  return env === 'ci' ? 'ci-strict' : 'production-read-only';
}

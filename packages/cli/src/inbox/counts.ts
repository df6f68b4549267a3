import { isSublError, type JsonObject } from '@subluminal/core-types';
import { counted } from '../output/counted.js';
import type { Waiting, WaitingKind, Where } from './waiting.js';

const WORDS: Readonly<Record<WaitingKind, string>> = {
  question: 'question',
  action: 'action',
  tool: 'held tool',
  hint: 'hint',
};

/** How much of each kind waits for a person; kinds of which nothing does are left out. */
export type WaitingCounts = ReadonlyMap<WaitingKind, number>;

/** Counts what waits; undefined where no gateway, or no record, tells. */
export async function waitingCounts(where: Where): Promise<WaitingCounts | undefined> {
  // The record's readers are loaded after the gateway was asked for the rest.
  const { waitingIn } = await import('./waiting.js');
  try {
    return countsOf(await waitingIn(where));
  } catch (error) {
    if (!isSublError(error)) throw error;
    return undefined;
  }
}

/** The counts in words: `3 (2 questions, 1 held tool)`; empty where nothing waits. */
export function countsText(counts: WaitingCounts): string {
  const parts = [...counts].map(([kind, count]) => counted(count, WORDS[kind]));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return parts.length > 1 ? `${all} (${parts.join(', ')})` : parts.join('');
}

/** The same for programs. */
export function countsJson(counts: WaitingCounts): JsonObject {
  const of = (kind: WaitingKind): number => counts.get(kind) ?? 0;
  return { questions: of('question'), actions: of('action'), tools: of('tool'), hints: of('hint') };
}

function countsOf(all: readonly Waiting[]): WaitingCounts {
  const counts = new Map<WaitingKind, number>();
  for (const { kind, isOpen } of all) if (isOpen) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

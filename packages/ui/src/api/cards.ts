import { type JsonValue, numberAt, textAt } from '@subluminal/core-types';
import type { Card, Inbox } from '../protocol/inbox.js';
import type { Reader } from '../reader/reader.js';
import type { UiSession } from '../session/sessions.js';
import { objectOf } from './ask.js';

/** All cards as they are now. */
export async function cardsNow(session: UiSession, reader: Pick<Reader, 'ask'>): Promise<readonly Card[]> {
  return (await waitingNow(session, reader)).cards;
}

export async function inboxNow(session: UiSession, reader: Pick<Reader, 'ask'>): Promise<Inbox> {
  const policy: JsonValue = await objectOf(session, 'policy.show');
  return {
    ...(await waitingNow(session, reader)),
    policy_problem: textAt(policy, 'error', 'message') || null,
  };
}

async function waitingNow(
  session: UiSession,
  reader: Pick<Reader, 'ask'>,
): Promise<Pick<Inbox, 'cards' | 'omitted'>> {
  const approvals = await objectOf(session, 'approvals.list');
  const tools = await objectOf(session, 'tools.diff', { shown: false });
  // The reader's own answer, from this process.
  const cards = JSON.parse(await reader.ask({ ask: 'cards', approvals, tools })) as readonly Card[];
  return { cards, omitted: numberAt(tools, 'omitted') ?? 0 };
}

import { setTimeout as pause } from 'node:timers/promises';

const MOST_MS = 60_000;

/**
 * Asks for a door until it may stand there: its port is one of ten thousand, made from the ledger's id, and
 * that of another test's door may be the same for as long as this one stands.
 */
export async function untilFree<Answer>(
  ask: () => Promise<Answer>,
  textOf: (answer: Answer) => string,
): Promise<Answer> {
  const until = Date.now() + MOST_MS;
  for (;;) {
    const answer = await ask();
    if (!textOf(answer).includes('EADDRINUSE') || Date.now() > until) return answer;
    await pause(1000);
  }
}

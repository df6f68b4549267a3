import type { QuestionEnd } from '@subluminal/records';

const CLOSED: ReadonlyMap<string, string> = new Map([
  ['expired', 'nobody answered in time'],
  ['run_ended', 'nobody answered before the run ended'],
  ['rule_changed', 'the rule changed before anybody answered'],
]);

/** How a question ended, in words. */
export function endedText({ answer, how, said }: QuestionEnd): string {
  if (answer === 'closed') return `a person was asked: ${CLOSED.get(how) ?? how}`;
  if (answer === 'yes') return `a person said yes, ${how === 'run' ? 'for the run' : 'once'}`;
  return `a person said no${said === '' ? '' : `: ${said}`}`;
}

/** The same for programs; the names are documented in docs/cli.md. */
export function endJson(end: QuestionEnd | undefined): { readonly [name: string]: string } | null {
  if (end === undefined) return null;
  return { answer: end.answer, how: end.how, said: end.said, at: new Date(end.ts).toISOString() };
}

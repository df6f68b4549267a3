import type { QuestionEnd } from '@subluminal/records';

/** How a question ended, for programs; the names are documented in docs/cli.md. */
export function endJson(end: QuestionEnd | undefined): { readonly [name: string]: string } | null {
  if (end === undefined) return null;
  return { answer: end.answer, how: end.how, said: end.said, at: new Date(end.ts).toISOString() };
}

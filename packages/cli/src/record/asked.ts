import { questionIn, type CallRecord } from '@subluminal/records';

/** The id of the question that a refused call put to a person. */
export function questionOf({ decision }: CallRecord): string | undefined {
  return questionIn(decision?.data ?? null);
}

/** How it is answered. */
export function askedText(id: string): string {
  return `a person was asked: \`sub approvals show ${id}\`, as long as the question is open`;
}

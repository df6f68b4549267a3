import type { JSX } from 'preact';
import type { Answer } from '../state/use-answer.js';
import { Problem } from './problem.js';

/** In the place of an answer: that it is read, or why it could not be, and a button that asks again. */
export function NotYet({
  answer: { again, isAsking, problem },
  says = 'Reading',
}: {
  readonly answer: Answer<unknown>;
  readonly says?: string;
}): JSX.Element {
  return problem === null ? (
    <p class="quiet">{says}</p>
  ) : (
    <Problem refused={problem} again={again} isAsking={isAsking} />
  );
}

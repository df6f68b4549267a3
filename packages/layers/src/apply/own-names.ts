import { type BytePath, pathOfText } from '../files/byte-path.js';

/** The name in the project of what a step is about to put there. */
export function freshName(token: string, step: number): BytePath {
  return pathOfText(`.sub-${token}-${step}`);
}

/** The name in the project of what a step takes away, until the other stands there. */
export function asideName(token: string, step: number): BytePath {
  return pathOfText(`.sub-${token}-${step}-old`);
}

/** The name in the project of what was taken away, and cannot stand there again: no commit touches it. */
export function unplacedName(token: string, step: number): BytePath {
  return pathOfText(`.sub-${token}-${step}-kept`);
}

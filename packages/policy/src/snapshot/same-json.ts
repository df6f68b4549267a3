import { canonicalize, isSublError } from '@subluminal/core-types';

/** Tells whether a value that came from elsewhere has the canonical text of one of ours. */
export function isSameJson(given: unknown, ours: unknown): boolean {
  try {
    return canonicalize(given) === canonicalize(ours);
  } catch (error) {
    if (isSublError(error)) return false;
    throw error;
  }
}

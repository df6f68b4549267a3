import { isSublError } from '@subluminal/core-types';

/** The outcome of `work`; undefined where it throws a `SublError`. Any other error is thrown. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    return nothing(error);
  }
}

/** The same of work that takes its time. */
export function attempted<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch(nothing);
}

function nothing(error: unknown): undefined {
  if (!isSublError(error)) throw error;
  return undefined;
}

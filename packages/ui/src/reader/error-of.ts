import { isSublError } from '@subluminal/core-types';

/** An error as it crosses threads. */
export interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly help: string | undefined;
}

export function errorOf(error: unknown): ToldError {
  if (isSublError(error)) return { code: error.code, message: error.message, help: error.help };
  return { code: 'failed', message: 'the ledger could not be read', help: 'see the log, or `sub doctor`' };
}

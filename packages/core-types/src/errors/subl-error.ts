import type { ErrorCode } from './codes.js';

/** The details that an error may carry besides its message. */
export interface SublErrorOptions {
  /** One line on what the person can do next. */
  readonly help?: string;
  readonly cause?: unknown;
  /** Facts for programs; never secret values. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class of Subluminal. `code` is for programs, `message` (lowercase, input in backticks) and
 * `help` for people. Anything else that is thrown is a bug.
 */
export class SublError extends Error {
  override readonly name = 'SublError';
  readonly code: ErrorCode;
  readonly help: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: SublErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.help = options.help;
    this.details = options.details;
  }
}

/** Tells whether `error` is a `SublError`, with one of `codes` where any are given. */
export function isSublError(error: unknown, ...codes: readonly ErrorCode[]): error is SublError {
  return error instanceof SublError && (codes.length === 0 || codes.includes(error.code));
}

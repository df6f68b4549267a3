import { type ErrorCode, isErrorCode, SublError } from '@subluminal/core-types';

/** Why a connection is not made or goes no further, as the client is told. */
export class Denial extends Error {
  override readonly name = 'Denial';
  readonly code: ErrorCode;
  readonly auditRef: string | undefined;
  /** Seconds after which it may work. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, more: { auditRef?: string; retryAfter?: number } = {}) {
    super(message);
    this.code = code;
    this.auditRef = more.auditRef;
    this.retryAfter = more.retryAfter;
  }

  /** What an error says; one of nobody's making says nothing of itself. */
  static of(error: unknown): Denial {
    if (error instanceof Denial) return error;
    if (error instanceof SublError && isErrorCode(error.code)) return new Denial(error.code, error.message);
    return new Denial('failed', 'the gateway failed');
  }
}

/** No token of this gateway was shown. */
export class NotAdmitted extends Denial {
  constructor() {
    super('not_permitted', 'the proxy needs the user and the password that `sub` set for this program');
  }
}

import { RESERVED_ERROR_CODES } from '@subluminal/core-types';

const CODES: readonly number[] = Object.values(RESERVED_ERROR_CODES);

/** Tells whether a JSON-RPC error code is one that only a gateway may use. */
export function isReservedCode(code: number): boolean {
  return CODES.includes(code);
}

/** The complete public surface of @subluminal/core-types: named exports only. */
export { ERROR_CODES, isErrorCode, type ErrorCode } from './errors/codes.js';
export { SublError, isSublError, type SublErrorOptions } from './errors/subl-error.js';

/** The longest text of one spool, in bytes. */
export const MAX_SPOOL_BYTES = 524_288;
/** The most calls in one spool. */
export const MAX_SPOOL_CALLS = 256;

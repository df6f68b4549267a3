/** The length header: four bytes, big-endian. */
export const HEADER_BYTES = 4;

/** The largest frame body unless a configuration says otherwise: 8 MiB. */
export const DEFAULT_MAX_FRAME_BYTES = 8 * 1024 * 1024;

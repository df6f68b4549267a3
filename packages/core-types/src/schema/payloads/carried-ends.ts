/**
 * How many ends one `tool.call.begin` may carry: with their previews they leave most of a frame to its
 * arguments.
 */
export const MAX_CARRIED_ENDS = 32;

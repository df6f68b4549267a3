/** The longest glob or regex, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1024;
/**
 * The largest automaton that one pattern may compile to: with the length of a name it bounds the time of a
 * match.
 */
export const MAX_PROGRAM_SIZE = 4096;
/**
 * The same of all patterns of a policy together: it bounds the time of a load, and that of a call of a new
 * name.
 */
export const MAX_ALL_PROGRAMS = 262_144;

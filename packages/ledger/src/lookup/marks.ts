import { sha256Hex } from '@subluminal/core-types';

/** The properties of an entry by which blocks are found. */
export type Property = 'tool' | 'code' | 'kind' | 'call';

const HEX_DIGITS = 12;

/**
 * The number that stands for a value of a property: 48 bits of a hash. Two values with one number cost a look
 * at blocks that do not hold what is sought; the entries themselves decide.
 */
export function markOf(property: Property, value: string | number): number {
  return Number.parseInt(sha256Hex(`${property} ${value}`).slice(0, HEX_DIGITS), 16);
}

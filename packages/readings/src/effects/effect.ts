import type { Access, Operands, Touch } from './touch.js';

/** The files that a program touches, by its operands. */
export type Effect = (operands: Operands) => readonly Touch[];

export const touch = (
  access: Access,
  names: readonly (string | undefined)[],
  isRecursive = false,
): readonly Touch[] =>
  names.flatMap((name) => (name === undefined || name === '' ? [] : [{ name, access, isRecursive }]));

/** The words of a text. */
export const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

import * as z from 'zod';

/**
 * How many files differ, and the first of them as `+ PATH`, `~ PATH` or `- PATH`; bytes of a name that are no
 * text are `\\xNN`. Testimony of whoever keeps the world.
 */
export const FsDiff = z.strictObject({
  added: z.number().int().nonnegative(),
  modified: z.number().int().nonnegative(),
  deleted: z.number().int().nonnegative(),
  paths: z.array(z.string().min(3).max(512)).max(64),
  /** There are more than were looked at. */
  truncated: z.literal(true).optional(),
});

/** The same, as it is handed on. */
export interface FsDiff {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  readonly paths: readonly string[];
  readonly truncated?: true | undefined;
}

import * as z from 'zod';

const HOUR_MS = 3_600_000;

/** Steers that an hour can have. */
const AN_HOUR = 12;

/** Time from one steer to the next. */
const GAP_MS = 120_000;

/** When the last steers were given. */
export const ratesSchema = z.array(z.int().min(0)).max(AN_HOUR);

export type Rates = Readonly<z.infer<typeof ratesSchema>>;

/** The times with this one; undefined if it comes too early. */
export function paced(times: Rates, nowMs: number): Rates | undefined {
  const last = times.at(-1);
  if (last !== undefined && nowMs - last < GAP_MS) return undefined;
  const recent = times.filter((time) => nowMs - time < HOUR_MS);
  return recent.length >= AN_HOUR ? undefined : [...recent, nowMs];
}

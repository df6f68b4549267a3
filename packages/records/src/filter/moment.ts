const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const AGE = /^([0-9]{1,9})([smhd])$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,12}(?:Z|[+-][0-9]{2}:[0-9]{2})$/;
const EPOCH = /^[0-9]{10,16}$/;

/**
 * A moment in a filter, in epoch ms: an age (`2h`), a day in UTC (`2026-11-27`), RFC 3339 text, or epoch ms.
 * Null for any other text.
 */
export function momentOf(text: string, now: number): number | null {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS.get(unit) ?? 0);
  if (EPOCH.test(text)) return Number(text);
  if (!DATE.test(text) && !TIME.test(text)) return null;
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? null : parsed;
}

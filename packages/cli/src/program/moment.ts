/** Which end of a day a person means who names one. */
export type Edge = 'start' | 'end';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,12}(Z|[+-][0-9]{2}:[0-9]{2})?$/;

/**
 * Reads a moment: an age (`90s`, `15m`, `2h`, `7d`), a day (`today`, `yesterday`, the last `monday`, a date),
 * RFC 3339 text, or epoch milliseconds. Days are those of this machine. Returns epoch milliseconds, or null
 * when it is none of these.
 */
export function parseMoment(text: string, now: number, edge: Edge): number | null {
  const [, count, unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  if (/^[0-9]{10,16}$/.test(text)) return Number(text);
  const day = dayNamed(text.toLowerCase(), now);
  if (day !== null) return edge === 'start' ? day.getTime() : endOf(day);
  const parsed = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

/** The first moment of a day. */
function dayNamed(text: string, now: number): Date | null {
  const today = new Date(now);
  const back = (days: number): Date =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - days);
  if (text === 'today') return back(0);
  if (text === 'yesterday') return back(1);
  const weekday =
    text.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name === text || name.slice(0, 3) === text);
  if (weekday !== -1) return back((today.getDay() - weekday + 7) % 7);
  const [, year, month, date] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  const found = new Date(year, month - 1, date);
  return found.getMonth() === month - 1 && found.getDate() === date ? found : null;
}

function endOf(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime() - 1;
}

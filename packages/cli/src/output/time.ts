import { momentAt, type JsonValue } from '@subluminal/core-types';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * How long ago `then` was, for people: `now`, `12s ago`, `3m ago`, `2h ago`, `5d ago`, and the date after 30
 * days.
 */
export function ago(then: number, now: number): string {
  const age = now - then;
  if (age < -5 * SECOND) return `in ${span(-age)}`;
  if (age < SECOND) return 'now';
  return age < 30 * DAY ? `${span(age)} ago` : dayAndTime(then).slice(0, 10);
}

/** How long ago the moment under a key was, as `ago`; `otherwise` where there is none. */
export function agoAt(value: JsonValue, key: string, now: number, otherwise = ''): string {
  const moment = momentAt(value, key);
  return moment === undefined ? otherwise : ago(moment, now);
}

/** A length of time in its largest whole unit: `250ms`, `12s`, `3m`, `2h`, `5d`. */
export function span(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)}ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  return ms < DAY ? `${Math.floor(ms / HOUR)}h` : `${Math.floor(ms / DAY)}d`;
}

/** The local time of day, `hh:mm:ss`. */
export function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** The local day and minute, `yyyy-mm-dd hh:mm`. */
export function dayAndTime(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${day.map((part) => String(part).padStart(2, '0')).join('-')} ${clockTime(ms).slice(0, 5)}`;
}

/** The local day and time with its offset, `yyyy-mm-dd hh:mm:ss +hh:mm`. */
export function wholeTime(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset();
  const parts = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${dayAndTime(ms).slice(0, 10)} ${clockTime(ms)} ${minutes < 0 ? '-' : '+'}${offset}`;
}

/** A moment of the record as `wholeTime`; another text as it is. */
export function wholeTimeOf(text: string): string {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? text : wholeTime(ms);
}

/** A count of bytes for people: `512 B`, `1.4 KB`, `64.0 MB`. */
export function byteCount(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit] ?? ''}`;
}

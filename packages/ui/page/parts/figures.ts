/** Times and sizes as the page writes them. */
export interface Clock {
  /** `22:38:31`. */
  time(ms: number): string;
  /** `2026-11-27 22:38:31`. */
  full(ms: number): string;
  /** Day of a time, to compare. */
  day(ms: number): string;
}

/** Local time, or UTC. */
export function clockOf(utc: boolean): Clock {
  const text = (ms: number): string => {
    const date = new Date(utc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);
    return Number.isNaN(date.getTime()) ? '' : date.toISOString();
  };
  return {
    time: (ms) => text(ms).slice(11, 19),
    full: (ms) => `${text(ms).slice(0, 10)} ${text(ms).slice(11, 19)}${utc ? ' UTC' : ''}`,
    day: (ms) => text(ms).slice(0, 10),
  };
}

/** `158 B`, `1.2 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes / 1024, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `4 ms`, `1.2 s`, `14 m`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} m`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** `298,261`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** `1 call`, `2 calls`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

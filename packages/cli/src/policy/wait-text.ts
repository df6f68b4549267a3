const UNITS = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A time span in its largest whole unit: `90 s`, `5 min`, `1500 ms`. */
export function waitText(ms: number): string {
  const unit = UNITS.find(([size]) => ms >= size && ms % size === 0);
  return unit === undefined ? `${ms} ms` : `${ms / unit[0]} ${unit[1]}`;
}

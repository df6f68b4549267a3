/** Statistics and tables of the ledger's benches. */

export const median = (values) => percentile(values, 0.5);

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of what each round of `values` was of the same round of `base`. */
export function ratio(values, base) {
  return median(values.map((value, round) => value / base[round])).toFixed(2);
}

/** A whole number for people. */
export function count(value) {
  return Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '–';
}

/** Milliseconds for people. */
export function millis(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}

/** Prints rows under a header, columns aligned, numbers to the right. */
export function table(header, rows) {
  const lines = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(`  ${cells.join('  ')}`);
  }
}

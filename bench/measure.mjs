/** Statistics and tables of the bench. */

export const median = (values) => percentile(values, 0.5);

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Times `count` calls one after the other; microseconds. */
export async function sequential(call, count) {
  const samples = [];
  for (let n = 0; n < count; n += 1) {
    const from = performance.now();
    await call(n);
    samples.push((performance.now() - from) * 1000);
  }
  return samples;
}

/** Calls a second with `inFlight` callers that each wait for their answer. */
export async function throughput(call, count, inFlight) {
  let next = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      await call(next);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, caller));
  return count / ((performance.now() - from) / 1000);
}

/** Prints rows under a header, columns aligned, numbers to the right. */
export function table(header, rows) {
  const lines = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  '),
    );
}

/** A number for people: three significant digits, or a dash. */
export function figure(value) {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

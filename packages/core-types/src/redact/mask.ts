/** The mark in place of a secret. */
export const MASK = '[REDACTED]';

/** A secret in a text: from `start` (inclusive) to `end` (exclusive), in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text that was looked for, and the mark that stands in its place. */
export interface MarkedSpan extends Span {
  readonly mark: string;
}

/** Finds known values in a text: in order, not overlapping. `cut`: the text may end within one. */
export type FindValues = (text: string, cut: boolean) => readonly MarkedSpan[];

/** Where there are none to look for. */
export const NO_VALUES: FindValues = () => [];

/** Both in order, none overlapping: what has a shape and a value in it is one span without a name. */
export function joined(
  shapes: readonly Span[],
  values: readonly MarkedSpan[],
): readonly (Span | MarkedSpan)[] {
  if (values.length === 0) return shapes;
  const all: (Span | MarkedSpan)[] = [];
  for (const span of [...shapes, ...values].toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || span.start >= last.end) all.push(span);
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return all;
}

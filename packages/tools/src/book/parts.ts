import type { PinChange, ServerRow } from './pin-store.js';

/** Rows of one transaction: names may have a kilobyte, and stand in an index, too. */
const MOST_ROWS = 200;

/**
 * A change in parts that fit a turn of the event loop each, in an order that may end anywhere. Tools to hold
 * come first, so that none is pinned that waits to be held; rows that are no longer held come behind the
 * pins that they go by. The server's own row and the client come last: until then the list counts as one that
 * was not seen whole, and what it pinned already is compared with the next one. `before`: the row as it is.
 */
export function partsOf(change: PinChange, before: ServerRow | undefined): readonly PinChange[] {
  const { client, server, pins = [], held = [], released = [], vanished = [], returned = [] } = change;
  const count = [pins, held, released, vanished, returned].reduce((sum, { length }) => sum + length, 0);
  if (count <= MOST_ROWS) return [change];
  const part = { server: before ?? { ...server, pinned_ms: null } };
  return [
    ...slices(held).map((rows) => ({ ...part, held: rows })),
    ...slices(pins).map((rows) => ({ ...part, pins: rows })),
    ...slices(released).map((rows) => ({ ...part, released: rows })),
    ...slices(vanished).map((rows) => ({ ...part, vanished: rows })),
    ...slices(returned).map((rows) => ({ ...part, returned: rows })),
    { server, client },
  ];
}

function slices<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / MOST_ROWS) }, (_, at) =>
    rows.slice(at * MOST_ROWS, (at + 1) * MOST_ROWS),
  );
}

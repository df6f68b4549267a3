import type { Output } from './output.js';
import { table, type Cell, type Column } from './table.js';

/** How a list is shown. */
export interface Listing<Item> {
  /** An item for programs. */
  readonly json: (item: Item) => unknown;
  /** The line in place of an empty table. */
  readonly none: string;
  readonly columns: readonly Column[];
  readonly row: (item: Item) => readonly Cell[];
}

/** Shows a list: its values to programs, a table to people. */
export function showList<Item>(output: Output, items: readonly Item[], listing: Listing<Item>): void {
  const { json, none, columns, row } = listing;
  if (output.json) for (const item of items) output.value(json(item));
  else if (items.length === 0) output.line(none);
  else output.lines(table(columns, items.map(row), output));
}

/** Says to people how the next page is had, where there is one. */
export function noteMore(output: Output, next: number | null): void {
  if (next !== null && !output.json) output.note(`more: add \`--cursor ${next}\``);
}

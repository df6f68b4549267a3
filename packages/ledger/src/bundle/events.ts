import { canonicalize, isJsonObject, parseJson, type JsonObject } from '@subluminal/core-types';
import { CODES, isEntryType, KINDS, numberOfCode } from '../entry/kinds.js';
import { isContractEvent, renderEvent } from '../read/event.js';
import { rowOf, type LedgerRow } from '../read/row.js';

/** An entry that was read from its body. */
export interface BodyRow {
  readonly row: LedgerRow;
  /** The leaf of the run's entry before it. */
  readonly rp: string;
}

/**
 * The entry that a body is; undefined for a body that no version of the writer makes.
 *
 * @throws SublError `ledger_corrupt`, `invalid_json`, `too_deep`.
 */
export function rowOfBody(seq: number, leaf: string, body: string): BodyRow | undefined {
  const parsed = parseJson(body);
  if (!isJsonObject(parsed)) return undefined;
  const { type, code, rp } = parsed;
  if (typeof type !== 'string' || !isEntryType(type) || typeof rp !== 'string') return undefined;
  const name = code === null ? null : CODES.map(([, known]) => known).find((known) => known === code);
  if (name === undefined || numberOfCode(KINDS[type], name) === undefined) return undefined;
  return { row: rowOf({ seq, leaf, type, code: name }, parsed), rp };
}

/**
 * Renders the entries of one run as events, each from itself and those before it: exporter and verifier do
 * the same.
 */
export class RunEvents {
  readonly #upstreams = new Map<string, LedgerRow>();
  #start: LedgerRow | undefined;

  /**
   * The line of the entry's event, null where it is none of Contract A. `previews`: those that are kept, by
   * slot.
   */
  line(row: LedgerRow, previews: ReadonlyMap<string, string>): string | null {
    if (row.type === 'run_start') this.#start = row;
    const { shim_id: shim } = row.data;
    if (row.type === 'upstream_begin' && typeof shim === 'string') this.#upstreams.set(shim, row);
    if (!isContractEvent(row.type)) return null;
    const event: JsonObject | null = renderEvent(row, {
      runStart: () => this.#start,
      upstream: (_, shimId) => this.#upstreams.get(shimId),
      blob: (_, slot) => previews.get(slot) ?? null,
    });
    return event === null ? null : canonicalize(event);
  }
}

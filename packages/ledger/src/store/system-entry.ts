import type { PreparedEntry } from '../entry/prepare.js';

/** An entry of the ledger about itself. `data` is canonical JSON; a clock that is off gives the time 0. */
export function systemEntry(kind: number, nowMs: number, data: string): PreparedEntry {
  const ts = Number.isSafeInteger(nowMs) && nowMs >= 0 ? nowMs : 0;
  return { kind, code: 0, ts, run: null, tool: null, ref: null, data, blobs: [] };
}

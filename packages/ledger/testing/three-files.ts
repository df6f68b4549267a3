import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../src/index.js';
import { Copy } from './attacks/book.js';
import { action, beginCall, endCall, fillRun, runEnd, runStart, Scratch } from './scratch.js';

/**
 * A ledger of three small files: the entries 1 to 12, 13 to 21 and 22 to 28. The run `long` goes on through
 * all of them: its call that begins with entry 3 ends with 23; an approval, entry 4, is used by 14. Seals are
 * 10, 12, 19, 21 and 28.
 *
 * `keys`: the seal keys in force behind the ends of the three, by the seal that names them. `older`:
 * everything as it was behind seal 10.
 */
export async function threeFiles(): Promise<{
  readonly scratch: Scratch;
  readonly keys: ReadonlyMap<number, KeyObject>;
  readonly older: Copy;
}> {
  const scratch = new Scratch();
  scratch.create();
  const keys = new Map<number, KeyObject>();
  let older: Copy | undefined;
  let grant = 0;
  let call = 0;
  const parts: readonly (readonly [number, (ledger: Ledger) => Promise<void>])[] = [
    [
      10,
      async (ledger) => {
        await ledger.append({ entries: [runStart('long')] });
        call = await seqOf(ledger, beginCall('long', 'call-1'));
        grant = await seqOf(ledger, {
          entries: [{ type: 'approval_granted', ts: 1, runId: null, data: {} }],
        });
        await fillRun(ledger, 'a', 1);
        await ledger.append({ entries: [runEnd('a')] });
      },
    ],
    [
      19,
      async (ledger) => {
        await ledger.append({ entries: [{ ...action('action_pending', 'long', 'pending'), ref: grant }] });
        await fillRun(ledger, 'b', 1);
      },
    ],
    [
      28,
      async (ledger) => {
        await ledger.append({ entries: [endCall('long', 'call-1', call)] });
        await fillRun(ledger, 'c', 1);
      },
    ],
  ];
  for (const [seal, fill] of parts) {
    const ledger = await scratch.open({ segmentBytes: 1 });
    await fill(ledger);
    await ledger.close();
    keys.set(seal, createPrivateKey(readFileSync(scratch.sealKey)));
    older ??= Copy.of(scratch, join(scratch.folder, 'older'));
  }
  if (older === undefined) throw new Error('nothing was written');
  return { scratch, keys, older };
}

/** Appends; gives the number of the last entry. */
async function seqOf(ledger: Ledger, group: Parameters<Ledger['append']>[0]): Promise<number> {
  const result = await ledger.append(group);
  return result.ok ? (result.entries.at(-1)?.seq ?? 0) : 0;
}

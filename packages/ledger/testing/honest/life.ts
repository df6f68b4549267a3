import { verifyLedger, type Ledger, type OpenLedgerOptions } from '../../src/index.js';
import { Copy } from '../attacks/book.js';
import { openHere, openInThread, Scratch } from '../scratch.js';
import { join } from 'node:path';
import { Actors } from './actors.js';
import { Chance } from './chance.js';
import { cutRotation } from './cut-rotation.js';

/** The end of a life: every verdict that an honest ledger must not get. */
export interface Life {
  readonly falseAlarms: string[];
  readonly verifications: number;
  readonly entries: number;
  /** Files of the ledger at its end. */
  readonly files: number;
}

const START_MS = 1_760_000_000_000;
const YEAR_MS = 31_557_600_000;

/**
 * The life of one honest ledger: work, restarts, crashes (the files as they are between two system calls),
 * other writers and durabilities, clocks that jump, verification while it is written, files that are followed
 * by others. None of it is tampering.
 */
export async function live(seed: number): Promise<Life> {
  const chance = new Chance(seed);
  const scratch = new Scratch();
  scratch.create();
  const falseAlarms: string[] = [];
  let verifications = 0;
  let entries = 0;
  let files = 0;
  let now = START_MS;
  const clock = (): number => (now += chance.below(20));
  const actors = new Actors(chance, () => now);
  let home = Copy.of(scratch, join(scratch.folder, 'life'));

  const verify = async (copy: Copy, when: string, isLive: boolean, isClosed: boolean): Promise<void> => {
    const options = { headsLog: copy.headsLog, sealKeyPath: copy.sealKey, live: isLive };
    const { verdict, finding, reasons, entries: count, segments } = await verifyLedger(copy.path, options);
    verifications += 1;
    entries = count;
    files = segments.verified;
    const isFalse =
      verdict === 'tampered' || verdict === 'unchecked' || (isClosed && count > 0 && verdict !== 'ok');
    if (isFalse) falseAlarms.push(`seed ${seed}, ${when}: ${verdict} ${JSON.stringify(finding ?? reasons)}`);
  };
  // Half of them go on in another file with each seal and start, or where some hundred KiB are full.
  const fate = new Chance(seed ^ 0x5e9);
  const segmentBytes = fate.pick([undefined, undefined, 1, 300_000]);
  const options = (): Partial<OpenLedgerOptions> => ({
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    clock,
    durability: chance.once(5) ? 'fsync' : 'process',
  });

  const open = (): Promise<Ledger> => home.open(options(), chance.once(6) ? openInThread : openHere);
  try {
    let ledger: Ledger = await open();
    const acts = 4 + chance.below(30);
    for (let act = 0; act < acts; act += 1) {
      await actors.act(ledger);
      switch (chance.below(16)) {
        case 0:
          now += chance.pick([YEAR_MS, -YEAR_MS, 3_600_000, -3_600_000]);
          break;
        case 1:
          await ledger.close();
          await verify(home, `closed after ${act}`, false, true);
          ledger = await open();
          break;
        case 2:
        case 3: {
          // A file that is followed by another at this moment, in another thread, is no state to copy.
          if (segmentBytes !== undefined) await ledger.flushHead('idle');
          const tip = ledger.head().seq;
          const before = actors.act(ledger);
          const crashed = Copy.of(home, join(scratch.folder, `crash-${act}`));
          await before;
          await ledger.close();
          home.remove();
          home = crashed;
          await verify(home, `crashed after ${act}`, false, false);
          ledger = await open();
          actors.forget(tip);
          break;
        }
        case 4:
          await Promise.all([actors.act(ledger), verify(home, `while written after ${act}`, true, false)]);
          break;
        case 5:
          await ledger.flushHead(chance.pick(['idle', 'run_end', 'shutdown']));
          break;
        case 6:
          await ledger.expirePreviews(now - chance.below(2000));
          break;
        case 7:
          if (segmentBytes === undefined || ledger.head().seq === 0) break;
          await ledger.close();
          cutRotation(home, fate, clock());
          await verify(home, `rotation cut off after ${act}`, false, false);
          ledger = await open();
          break;
        default:
      }
    }
    await ledger.close();
    await verify(home, 'at the end', false, true);
    return { falseAlarms, verifications, entries, files };
  } finally {
    scratch.remove();
  }
}

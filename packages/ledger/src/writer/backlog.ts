import { SublError } from '@subluminal/core-types';
import type { AppendResult } from '../entry/input.js';
import type { PreparedGroup } from '../entry/prepare.js';

/** A group that waits for its commit. */
export interface WaitingGroup {
  readonly group: PreparedGroup;
  /** True where an effect may run once it is durable. */
  readonly begins: boolean;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: SublError) => void;
}

const MAX_ENTRIES = 8192;
const MAX_BYTES = 8 * 1024 * 1024;
/** Groups that begin an effect may fill so much of it: the rest is for the ends of what runs. */
const BEGIN_SHARE = 3 / 4;
const COMMIT_ENTRIES = 512;
const COMMIT_BYTES = 1024 * 1024;

/** Groups that wait to be committed: bounded in entries and bytes, and none that was accepted is dropped. */
export class Backlog {
  #groups: WaitingGroup[] = [];
  #entries = 0;
  #bytes = 0;

  get entries(): number {
    return this.#entries;
  }

  /** Above half of either bound: from here on previews are dropped. */
  get isHigh(): boolean {
    return this.#entries > MAX_ENTRIES / 2 || this.#bytes > MAX_BYTES / 2;
  }

  /**
   * Asks for room before anything is rendered or hashed: a flood is refused for next to nothing.
   *
   * @throws SublError `overloaded`.
   */
  assertRoom(entries: number, begins: boolean): void {
    if (this.#entries + entries > MAX_ENTRIES * shareOf(begins)) throw this.#full();
  }

  /** @throws SublError `overloaded`. */
  add(waiting: WaitingGroup): void {
    const { entries, bytes } = waiting.group;
    this.assertRoom(entries.length, waiting.begins);
    if (this.#entries > 0 && this.#bytes + bytes > MAX_BYTES * shareOf(waiting.begins)) throw this.#full();
    this.#groups.push(waiting);
    this.#entries += entries.length;
    this.#bytes += bytes;
  }

  /** Takes the oldest groups for one commit: at most 512 entries or 1 MiB, but at least one group. */
  take(): WaitingGroup[] {
    let entries = 0;
    let bytes = 0;
    let count = 0;
    for (const { group } of this.#groups) {
      entries += group.entries.length;
      bytes += group.bytes;
      if (count > 0 && (entries > COMMIT_ENTRIES || bytes > COMMIT_BYTES)) break;
      count += 1;
    }
    return this.#remove(count);
  }

  takeAll(): WaitingGroup[] {
    return this.#remove(this.#groups.length);
  }

  #full(): SublError {
    return new SublError(
      'overloaded',
      `${this.#entries} entries wait for the ledger; this one was not accepted`,
    );
  }

  #remove(count: number): WaitingGroup[] {
    const taken = this.#groups.splice(0, count);
    for (const { group } of taken) {
      this.#entries -= group.entries.length;
      this.#bytes -= group.bytes;
    }
    return taken;
  }
}

function shareOf(begins: boolean): number {
  return begins ? BEGIN_SHARE : 1;
}

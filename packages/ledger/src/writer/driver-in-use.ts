import { isSublError, SublError } from '@subluminal/core-types';
import type { EntryPosition } from '../entry/input.js';
import { unavailable } from './answers.js';
import { Backoff } from './backoff.js';
import type { Driver, DriverOpened } from './driver.js';

export interface DriverInUseOptions {
  /** Gives the driver of the first opening, and after a failure that of the next one. */
  readonly createDriver: () => Driver;
  readonly clock: () => number;
}

/** The driver that commits go to: after a failure a fresh one, which has read the ledger's end anew. */
export class DriverInUse {
  readonly #options: DriverInUseOptions;
  readonly #backoff = new Backoff();
  #driver: Driver | undefined;
  #fatal: SublError | undefined;

  constructor(options: DriverInUseOptions) {
    this.#options = options;
  }

  /** Undefined before the first opening, after a failure and after `close`. */
  get driver(): Driver | undefined {
    return this.#driver;
  }

  /** Throws where another one may not be opened, now or ever. */
  assertMayOpen(): void {
    if (this.#fatal !== undefined) throw this.#fatal;
    if (!this.#backoff.isOver) throw unavailable('the ledger failed a moment ago', undefined);
  }

  /** Opens another one, which must go on from what is `known` to be durable. */
  async open(known: EntryPosition): Promise<DriverOpened> {
    const driver = this.#options.createDriver();
    try {
      const opened = await driver.open(this.#options.clock());
      assertGoesOn(known, opened.tip);
      this.#driver = driver;
      this.#backoff.succeeded();
      return opened;
    } catch (error) {
      await driver.close();
      throw error;
    }
  }

  /**
   * A call of the driver failed: what is on the disk is unknown, so everything in memory is given up. Gives
   * the error for those who wait.
   */
  async giveUp(cause: unknown): Promise<SublError> {
    const driver = this.#driver;
    this.#driver = undefined;
    if (driver !== undefined || this.#backoff.isOver) this.#backoff.failed();
    if (isSublError(cause, 'ledger_corrupt', 'ledger_missing')) this.#fatal = cause;
    try {
      await driver?.close();
    } catch (error) {
      // The connection is given up whether or not SQLite can still close it; the first failure is the one to
      // report.
      return unavailable('the ledger failed and could not be closed', new AggregateError([cause, error]));
    }
    return unavailable('the ledger could not record it', cause);
  }

  async close(): Promise<void> {
    const driver = this.#driver;
    this.#driver = undefined;
    await driver?.close();
  }
}

/** Somebody has been told that `known` is durable: a ledger that lacks it is not the one that was written. */
function assertGoesOn(known: EntryPosition, found: EntryPosition): void {
  const isOther = found.seq === known.seq && known.seq > 0 && found.leaf !== known.leaf;
  if (found.seq >= known.seq && !isOther) return;
  throw new SublError(
    'ledger_corrupt',
    `the ledger ends with entry ${found.seq}, and not as it did when entry ${known.seq} was acknowledged`,
    { help: 'it was put back to an older copy while it was written: `sub audit verify` says what is there' },
  );
}

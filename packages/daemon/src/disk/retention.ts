import { type Clock, type Lifecycle, type Logger, errorText, startTicking } from '@subluminal/gateway';
import { nameOfMissing, type ExpiryReport, type Ledger } from '@subluminal/ledger';

/** What keeps previews for a time. */
export interface RetentionParts {
  readonly ledger: Pick<Ledger, 'expirePreviews'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** 0: none is kept longer than until the next look. */
  readonly days: () => number | 'forever';
}

const LOOK_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Lets previews expire when their time is over: looks when the gateway starts, and every hour. */
export class Retention implements Lifecycle {
  readonly name = 'retention';
  readonly #parts: RetentionParts;
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;
  #end: (() => void) | undefined;
  /** The missing file that was told of last: once is enough. */
  #heldUpBy: string | undefined;
  /** The files that cannot be read, of the last look. */
  #unreadable: readonly string[] = [];

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    const { log } = this.#parts;
    const failed = (error: unknown): void => log.error('a routine failed', { error: errorText(error) });
    const look = (): void => {
      this.look().catch(failed);
    };
    this.#end = startTicking(LOOK_MS, failed, look);
    look();
  }

  /**
   * Ends it; resolves when nothing is under way. What has expired and is still there goes with the next look.
   */
  async stop(): Promise<void> {
    this.#end?.();
    this.#stop.abort();
    await this.#looking?.catch(() => undefined);
  }

  /** One look. Joins the one that is under way. */
  look(): Promise<void> {
    const { clock } = this.#parts;
    const days = this.#parts.days();
    if (days === 'forever') return Promise.resolve();
    return this.expire(days === 0 ? Number.POSITIVE_INFINITY : clock() - days * DAY_MS);
  }

  /** Lets the previews of entries before `before` expire, however long they were to be kept. */
  expire(before: number): Promise<void> {
    this.#looking ??= this.#expire(before).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #expire(before: number): Promise<void> {
    const { ledger, log } = this.#parts;
    const report: ExpiryReport = await ledger.expirePreviews(before, this.#stop.signal);
    this.#tellOfMissing(report);
    this.#tellOfUnreadable(report);
    if (report.deleted === 0 && report.expired === null) return;
    log.info('previews have expired', {
      ...report.expired,
      deleted: report.deleted,
      settled: report.settled,
    });
  }

  #tellOfMissing({ heldUpBy }: ExpiryReport): void {
    const name = heldUpBy === null ? undefined : nameOfMissing(heldUpBy);
    if (name !== undefined && name !== this.#heldUpBy)
      this.#parts.log.warn('previews behind a closed file that is not there do not expire', {
        missing: name,
      });
    this.#heldUpBy = name;
  }

  #tellOfUnreadable({ unreadable }: ExpiryReport): void {
    for (const name of unreadable.filter((one) => !this.#unreadable.includes(one)))
      this.#parts.log.warn('a closed file cannot be read: previews in it that are to expire stay', {
        file: `\`${name}\``,
        help: 'run `sub audit verify`, and put the file back from a backup',
      });
    this.#unreadable = unreadable;
  }
}

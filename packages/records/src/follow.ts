import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';

const PAGE = 500;
const POLL_MS = 250;

/**
 * The entries behind `seq`, oldest first, and then every new one as it is committed, until `wanted` says no.
 * Wakes up when the write-ahead log changes, and looks every 250 ms besides, since not every file system
 * tells. `null` comes whenever there is nothing new, so that the caller can act on time passing.
 */
export async function* follow(
  reader: LedgerReader,
  path: string,
  seq: number,
  wanted: () => boolean,
): AsyncGenerator<LedgerRow | null> {
  const bell = new Bell(path);
  try {
    let at = seq;
    while (wanted()) {
      bell.set();
      const { rows } = reader.tailFrom(at + 1, PAGE);
      for (const row of rows) {
        at = row.seq;
        yield row;
      }
      if (rows.length === 0) yield null;
      // Between two questions the ledger may go on in another file, which nobody may keep open.
      reader.release();
      if (rows.length > 0) continue;
      await bell.rung();
    }
  } finally {
    bell.close();
  }
}

/**
 * Rings when something was written to the ledger, and every `POLL_MS` anyway. That a file beside it changed
 * is not enough: who only opens it may do that already, and would wake itself up.
 */
class Bell {
  readonly #watcher: FSWatcher;
  readonly #path: string;
  #known: string;
  #wake: (() => void) | undefined;

  constructor(path: string) {
    const prefix = basename(path);
    this.#path = path;
    this.#known = writtenTo(path);
    this.#watcher = watch(dirname(path), (_event, name) => {
      if (name?.startsWith(prefix) === true && writtenTo(path) !== this.#known) this.#wake?.();
    });
    // The poll below goes on without it: a folder that cannot be watched only makes the tail a little later.
    this.#watcher.on('error', () => this.#watcher.close());
  }

  /** Call before the ledger is read: what is written from then on rings. */
  set(): void {
    this.#known = writtenTo(this.#path);
  }

  rung(): Promise<void> {
    if (writtenTo(this.#path) !== this.#known) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), POLL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  close(): void {
    this.#watcher.close();
  }
}

/** Changes with every write to the ledger, as far as the clock of the file system tells writes apart. */
export function writtenTo(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
      return stats === undefined ? 'none' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    })
    .join();
}

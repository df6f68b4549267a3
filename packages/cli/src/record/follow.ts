import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';

const PAGE = 500;
const POLL_MS = 250;

/**
 * The entries behind `seq`, oldest first, and then every new one as it is committed, until `wanted` says no. Wakes up
 * when the write-ahead log changes, and looks every 250 ms besides, since not every file system tells. `null` comes
 * whenever there is nothing new, so that the caller can act on time passing.
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
      const { rows } = reader.tailFrom(at + 1, PAGE);
      for (const row of rows) {
        at = row.seq;
        yield row;
      }
      if (rows.length > 0) continue;
      yield null;
      await bell.rung();
    }
  } finally {
    bell.close();
  }
}

/** Rings when a file beside the ledger changes, and every `POLL_MS` anyway. */
class Bell {
  readonly #watcher: FSWatcher;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(path: string) {
    const prefix = basename(path);
    this.#watcher = watch(dirname(path), (_event, name) => {
      if (name === null || !name.startsWith(prefix)) return;
      this.#changed = true;
      this.#wake?.();
    });
    // The poll below goes on without it: a folder that cannot be watched only makes the tail a little later.
    this.#watcher.on('error', () => this.#watcher.close());
  }

  rung(): Promise<void> {
    if (this.#changed) {
      this.#changed = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), POLL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        this.#changed = false;
        resolve();
      };
    });
  }

  close(): void {
    this.#watcher.close();
  }
}

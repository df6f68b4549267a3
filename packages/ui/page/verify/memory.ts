import type { Remembered } from './checkpoint.js';

/** Something that does not fit, and when it was found. It is kept until a person says that they know. */
export interface Finding {
  /** The first entry that is not what it was, or null where no single one can be named. */
  readonly seq: number | null;
  readonly why: string;
  /** Epoch ms. */
  readonly at: number;
}

/** The times of what is remembered, in epoch ms. */
export interface Seen {
  readonly at: number;
  readonly first: number;
}

/** The memory of this browser of a ledger, between visits. */
export interface Memory {
  remembered(): Remembered | null;
  /** When that was seen, and the first of those that it continues; null where it is not known. */
  seen(): Seen | null;
  remember(seen: Remembered, at: number): void;
  finding(): Finding | null;
  keep(finding: Finding): void;
  forget(): void;
  /** Ids of other ledgers that this browser knew of the home, oldest first. */
  others(): readonly string[];
}

/** Ledgers that are remembered of a home at most. */
const MOST_LEDGERS = 8;

/** Memory of one ledger of a home, in the storage of the browser. */
export function memoryOf(storage: Storage, ledger: string, home: string): Memory {
  const name = `${encodeURIComponent(home)}.${ledger}`;
  const [seenAt, foundAt] = [`subl.seen.${name}`, `subl.found.${name}`];
  const knownAt = `subl.ledgers.${encodeURIComponent(home)}`;
  const known = (): readonly string[] => {
    const { ids } = readObject(storage.getItem(knownAt));
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  };
  const know = (ids: readonly string[]): void =>
    storage.setItem(knownAt, JSON.stringify({ ids: ids.slice(-MOST_LEDGERS) }));
  const seen = (): Seen | null => {
    const { at, first } = readObject(storage.getItem(seenAt));
    return typeof at === 'number' && typeof first === 'number' ? { at, first } : null;
  };
  know([...known().filter((id) => id !== ledger), ledger]);
  return {
    others: () => known().filter((id) => id !== ledger),
    remembered() {
      const read = readObject(storage.getItem(seenAt));
      const { key, note } = read;
      return typeof key === 'string' && typeof note === 'string' ? { key, note } : null;
    },
    seen,
    remember(one, at) {
      storage.setItem(seenAt, JSON.stringify({ ...one, at, first: seen()?.first ?? at }));
    },
    finding() {
      const { seq, why, at } = readObject(storage.getItem(foundAt));
      if (typeof why !== 'string' || typeof at !== 'number') return null;
      return { seq: typeof seq === 'number' ? seq : null, why, at };
    },
    keep(finding) {
      storage.setItem(foundAt, JSON.stringify(finding));
    },
    forget() {
      storage.removeItem(foundAt);
      storage.removeItem(seenAt);
      know([ledger]);
    },
  };
}

function readObject(text: string | null): Readonly<Record<string, unknown>> {
  if (text === null) return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}

import type { Remembered } from './checkpoint.js';

/** Something that does not fit, and when it was found. It is kept until a person says that they know. */
export interface Finding {
  /** The first entry that is not what it was, or null where no single one can be named. */
  readonly seq: number | null;
  readonly why: string;
  /** Epoch ms. */
  readonly at: number;
}

/** The memory of this browser of a ledger, between visits. */
export interface Memory {
  remembered(): Remembered | null;
  remember(seen: Remembered): void;
  finding(): Finding | null;
  keep(finding: Finding): void;
  forget(): void;
}

/** Memory of one ledger, in the storage of the browser. */
export function memoryOf(storage: Storage, ledger: string): Memory {
  const [seenAt, foundAt] = [`subl.seen.${ledger}`, `subl.found.${ledger}`];
  return {
    remembered() {
      const read = readObject(storage.getItem(seenAt));
      const { key, note } = read;
      return typeof key === 'string' && typeof note === 'string' ? { key, note } : null;
    },
    remember(seen) {
      storage.setItem(seenAt, JSON.stringify(seen));
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

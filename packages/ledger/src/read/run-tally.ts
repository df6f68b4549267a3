import { nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';

/** How many entries of one type and code a run has. */
export interface RunCount {
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly count: number;
}

/** Counts a run's entries without reading them into memory: a run may have lived for weeks. */
export class RunTally {
  readonly #files: LedgerFiles<OneFile>;

  constructor(files: LedgerFiles<OneFile>) {
    this.#files = files;
  }

  /** By type and code; `name` is the run's JSON text. */
  counts(name: string): RunCount[] {
    const sums = new Map<string, { readonly kind: number; readonly code: number; count: number }>();
    for (const file of this.#files.oldestFirst()) {
      for (const { kind, code, count } of file.counts(name)) {
        const sum = sums.get(`${kind} ${code}`) ?? { kind, code, count: 0 };
        sum.count += count;
        sums.set(`${kind} ${code}`, sum);
      }
    }
    const sorted = [...sums.values()].toSorted((a, b) => a.kind - b.kind || a.code - b.code);
    return sorted.flatMap(({ kind, code, count }) => {
      const type = typeOfKind(kind);
      const codeName = nameOfCode(code);
      return type === undefined || codeName === undefined ? [] : [{ type, code: codeName, count }];
    });
  }

  /** The ids of its calls, in the order in which they began. */
  *callIds(name: string): Iterable<string> {
    for (let after = 0, rows = this.#calls(name, after); rows.length > 0;) {
      for (const { id } of rows) if (typeof id === 'string') yield id;
      after = rows.at(-1)?.seq ?? after;
      rows = this.#calls(name, after);
    }
  }

  /** Those of the first file that has any behind `after`: whoever takes them may let go of the files in between. */
  #calls(name: string, after: number): { readonly seq: number; readonly id: unknown }[] {
    for (const file of this.#files.oldestFirst(after)) {
      const rows = file.calls(name, after);
      if (rows.length > 0) return rows;
    }
    return [];
  }
}

import { dropFirst } from '../drop-first.js';

/** Runs whose folder is remembered. */
const MAX_RUNS = 4096;

/** The folders that runs work in, also of those that are over. */
export class Folders {
  readonly #folderOf: (runId: string) => string;
  readonly #known = new Map<string, string>();

  /** `folderOf`: the folder of a run that lives; empty where it does not say. */
  constructor(folderOf: (runId: string) => string) {
    this.#folderOf = folderOf;
  }

  /** The folder of a run; empty where it is not known. */
  of(runId: string): string {
    const known = this.#known.get(runId);
    if (known !== undefined) return known;
    const folder = this.#folderOf(runId);
    if (folder !== '') this.note(runId, folder);
    return folder;
  }

  /** A run said where it works. */
  note(runId: string, folder: string): void {
    this.#known.set(runId, folder);
    dropFirst(this.#known, MAX_RUNS);
  }
}

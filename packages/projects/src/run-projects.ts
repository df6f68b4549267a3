import type { Finding } from './place/finding.js';

/** Folders of a run that are remembered for a file that is trusted later. */
const MAX_FOLDERS = 64;

/** Where a run works, and which projects bind it: those that it was in stay until it ends. */
export class RunProjects {
  /** The policy files of projects that it has entered, whether or not they are trusted now. */
  readonly files = new Set<string>();
  #folders: readonly string[] = [];
  #findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    this.#findings = findings;
  }

  /** The policy files that its beginning has found. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** The operator has decided about a file: what its beginning found of it is news no more. */
  settle(file: string): void {
    this.#findings = this.#findings.filter((one) => one.file !== file);
  }

  /** The folders that it has worked in. */
  get folders(): readonly string[] {
    return this.#folders;
  }

  worksIn(folder: string): void {
    if (this.#folders.at(-1) === folder) return;
    // The first is the one that it began in.
    const [first = folder, ...others] = this.#folders;
    const rest = others.filter((one) => one !== folder).slice(2 - MAX_FOLDERS);
    this.#folders = first === folder ? [first, ...rest] : [first, ...rest, folder];
  }
}

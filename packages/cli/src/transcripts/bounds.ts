/** How much is read of a client's session files. */
export interface Bounds {
  readonly files: number;
  /** Folders below the first. */
  readonly depth: number;
  readonly bytesOfLine: number;
  readonly bytesOfFile: number;
  readonly bytes: number;
}

export const BOUNDS: Bounds = {
  files: 20_000,
  depth: 8,
  bytesOfLine: 8 * 1024 * 1024,
  bytesOfFile: 512 * 1024 * 1024,
  bytes: 4 * 1024 * 1024 * 1024,
};

/** The parts that were left out, and how often. */
export interface LeftOut {
  /** Files beyond the bound, and those that cannot be read. */
  files: number;
  /** Lines that are no JSON, and calls in a form that is not known. */
  bad: number;
  /** Lines that are longer than the bound. */
  long: number;
  /** Bytes behind the bounds of a file, or of all. */
  bytes: number;
}

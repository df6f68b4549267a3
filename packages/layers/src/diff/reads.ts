/** The files that one comparison may read: behind these bounds files are told by size and time alone. */
export class Reads {
  #files: number;
  #bytes: number;

  constructor({ files, bytes }: { readonly files: number; readonly bytes: number }) {
    this.#files = files;
    this.#bytes = bytes;
  }

  /** Whether so many bytes of a file may be read; takes them if so. */
  take(size: number): boolean {
    if (this.#files < 1 || this.#bytes < size) return false;
    this.#files -= 1;
    this.#bytes -= size;
    return true;
  }
}

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/** A screen of its own on a terminal, which gives back what stood there before. */
export class Frame {
  readonly #write: (text: string) => void;
  #last = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
    write(ENTER);
  }

  /** Draws lines that fit; writes nothing if they stand there already. */
  draw(lines: readonly string[]): void {
    const text = `${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n')}${REST_OF_SCREEN}`;
    if (text === this.#last) return;
    this.#last = text;
    this.#write(text);
  }

  /** After another size nothing stands where it did. */
  forget(): void {
    this.#last = '';
  }

  close(): void {
    this.#write(LEAVE);
  }
}

import { SublError } from '@subluminal/core-types';
import type { Dialer } from '@subluminal/egress';

/** The socket type of the dialer: nobody else makes one. */
type Socket = Awaited<ReturnType<Dialer['connect']>>;

/** Bytes of one line, without those of literals. */
const MAX_LINE = 65_536;
const [LINE_FEED, RETURN] = [10, 13];

/**
 * The lines of a mail server. They are read only as they are asked for: all others stay in the kernel, and
 * one conversation has no more than `maxBytes`. The caller limits the time: when its signal destroys the
 * socket, every waiting method throws.
 */
export class Wire {
  readonly #origin: string;
  readonly #maxBytes: number;
  #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);
  #seen = 0;

  constructor(socket: Socket, origin: string, maxBytes: number) {
    this.#socket = socket;
    this.#origin = origin;
    this.#maxBytes = maxBytes;
    watch(socket);
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** Tells whether bytes have come that nobody asked for. */
  get hasMore(): boolean {
    return this.#buffer.length > 0 || this.#socket.readableLength > 0;
  }

  /** Goes on over another socket, and drops every byte that came over the one before. */
  continueOn(socket: Socket): void {
    this.#socket = socket;
    this.#buffer = Buffer.alloc(0);
    watch(socket);
  }

  /** The next line without its end. Throws `adapter_failed` and `response_too_large`. */
  async line(): Promise<Buffer> {
    let from = 0;
    for (;;) {
      const end = this.#buffer.indexOf(LINE_FEED, from);
      if (end > MAX_LINE || (end < 0 && this.#buffer.length > MAX_LINE))
        throw this.strange('sent a line that does not end');
      if (end >= 0) {
        const line = this.#buffer.subarray(0, end > 0 && this.#buffer[end - 1] === RETURN ? end - 1 : end);
        this.#buffer = this.#buffer.subarray(end + 1);
        return line;
      }
      from = this.#buffer.length;
      this.#buffer = Buffer.concat([this.#buffer, await this.#more()]);
    }
  }

  /** The next `count` bytes. Throws as `line` does, and at once where the limit is lower. */
  async bytes(count: number): Promise<Buffer> {
    if (this.#seen - this.#buffer.length + count > this.#maxBytes) throw this.tooMuch();
    const pieces = [this.#buffer];
    let length = this.#buffer.length;
    while (length < count) {
      const piece = await this.#more();
      pieces.push(piece);
      length += piece.length;
    }
    const all = Buffer.concat(pieces, length);
    this.#buffer = all.subarray(count);
    return all.subarray(0, count);
  }

  /** Resolves once the kernel has it. */
  write(data: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(data, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(this.#gone(error));
      });
    });
  }

  /** An error about the server's words; it repeats none of them. */
  strange(what: string): SublError {
    return new SublError('adapter_failed', `\`${this.#origin}\` ${what}`);
  }

  /** An error about the length of the server's answer. */
  tooMuch(maxBytes = this.#maxBytes): SublError {
    return new SublError(
      'response_too_large',
      `the answer of \`${this.#origin}\` has more than ${maxBytes} bytes`,
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  async #more(): Promise<Buffer> {
    for (;;) {
      const piece: unknown = this.#socket.read();
      if (Buffer.isBuffer(piece)) {
        this.#seen += piece.length;
        if (this.#seen > this.#maxBytes) throw this.tooMuch();
        return piece;
      }
      if (this.#socket.destroyed || this.#socket.readableEnded) throw this.#gone(undefined);
      await changed(this.#socket);
    }
  }

  #gone(cause: unknown): SublError {
    return new SublError('adapter_failed', `\`${this.#origin}\` closed the connection`, { cause });
  }
}

/** An error is followed by `close`, which every waiting method listens to. */
function watch(socket: Socket): void {
  socket.on('error', () => undefined);
}

/** Waits for bytes or the end. */
function changed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const name of EVENTS) socket.off(name, done);
      resolve();
    };
    for (const name of EVENTS) socket.on(name, done);
  });
}

const EVENTS = ['readable', 'end', 'close'] as const;

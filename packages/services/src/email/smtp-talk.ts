import type { Wire } from './wire.js';

/** Lines of one reply. */
const MAX_REPLY_LINES = 128;
/**
 * Bytes and lines that a server may say in a whole conversation: a hundred times those of a talkative one.
 */
const MAX_BYTES = 262_144;
const MAX_LINES = 2048;

const CRLF = 2;

export interface Reply {
  readonly code: number;
  /** The texts of its lines. */
  readonly lines: readonly string[];
}

/**
 * Commands of SMTP and their replies (https://www.rfc-editor.org/rfc/rfc5321#section-4.2), one at a time. A
 * reply is read only when its command was sent, so that none can be taken for the reply to a later command.
 */
export class SmtpTalk {
  readonly #wire: Wire;
  #bytes = 0;
  #lines = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Sends one line and reads the reply. Throws as `reply` does. */
  async ask(line: string): Promise<Reply> {
    this.expectSilence();
    await this.#wire.write(`${line}\r\n`);
    return this.reply();
  }

  /** @throws SublError `adapter_failed` where the server has said more than it was asked. */
  expectSilence(): void {
    if (this.#wire.hasMore) throw this.#wire.strange('answered before it was asked');
  }

  /** @throws SublError `adapter_failed`, `response_too_large`. */
  async reply(): Promise<Reply> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.#line();
      const match = /^([2-5][0-9]{2})(?:([ -])(.*))?$/.exec(line);
      if (match === null || lines.length >= MAX_REPLY_LINES) throw this.#wire.strange('does not speak SMTP');
      lines.push(match[3] ?? '');
      if (match[2] !== '-') return { code: Number(match[1]), lines };
    }
  }

  async #line(): Promise<string> {
    const line = await this.#wire.line();
    this.#bytes += line.length + CRLF;
    this.#lines += 1;
    if (this.#bytes > MAX_BYTES) throw this.#wire.tooMuch(MAX_BYTES);
    if (this.#lines > MAX_LINES) throw this.#wire.strange('does not speak SMTP');
    return line.toString('latin1');
  }
}

/** What a TLS client asks for, as far as it stands in the clear. */
export interface ClientHello {
  /** The name in `server_name`, as it was sent; undefined where there is none. */
  readonly serverName: string | undefined;
  /**
   * An `encrypted_client_hello` is there: the name above may be that of a decoy. Clients send the extension
   * without meaning it, too (GREASE), and nobody on the way can tell.
   */
  readonly isEncrypted: boolean;
  /** Data may follow before the handshake is over. */
  readonly hasEarlyData: boolean;
}

/** It is no ClientHello that every server would read in the same way. */
export class MalformedHello extends Error {
  override readonly name = 'MalformedHello';
}

const SERVER_NAME = 0;
const EARLY_DATA = 42;
/** RFC 9849, and the drafts before it that servers still know: ESNI, and ECH 8 to 10. */
const ENCRYPTED: ReadonlySet<number> = new Set([0xfe0d, 0xffce, 0xfe08, 0xfe09, 0xfe0a]);
const HOST_NAME = 0;
const MAX_NAME = 255;

/**
 * Reads the body of a ClientHello (RFC 8446 §4.1.2, RFC 6066 §3), without the four bytes of its handshake
 * header. What is unknown is skipped, so that GREASE and new extensions pass; what a server could read in two
 * ways is refused: an extension that stands twice, a list of several names, bytes behind the end. Throws
 * `MalformedHello`.
 */
export function parseClientHello(body: Buffer): ClientHello {
  const hello = new Cursor(body);
  if (hello.u8() !== 3) throw new MalformedHello('it is of a version that there is not');
  hello.skip(1 + 32);
  hello.vector8(0, 32);
  const suites = hello.vector16(2, 0xfffe);
  if (suites.length % 2 !== 0) throw new MalformedHello('half a cipher suite');
  hello.vector8(1, 255);
  if (hello.isAtEnd) return { serverName: undefined, isEncrypted: false, hasEarlyData: false };
  const extensions = new Cursor(hello.vector16(0, 0xffff));
  hello.end();
  return readExtensions(extensions);
}

function readExtensions(extensions: Cursor): ClientHello {
  const seen = new Set<number>();
  let serverName: string | undefined;
  while (!extensions.isAtEnd) {
    const type = extensions.u16();
    const data = extensions.vector16(0, 0xffff);
    if (seen.has(type)) throw new MalformedHello('an extension stands twice');
    seen.add(type);
    if (type === SERVER_NAME) serverName = readServerName(data);
  }
  return {
    serverName,
    isEncrypted: [...ENCRYPTED].some((type) => seen.has(type)),
    hasEarlyData: seen.has(EARLY_DATA),
  };
}

function readServerName(data: Buffer): string {
  const outer = new Cursor(data);
  const list = new Cursor(outer.vector16(1, 0xffff));
  outer.end();
  if (list.u8() !== HOST_NAME) throw new MalformedHello('the server name is of a kind that there is not');
  const name = list.vector16(1, MAX_NAME);
  if (!list.isAtEnd) throw new MalformedHello('more than one server name');
  // RFC 6066 §3: ASCII; whatever is not printable ends or hides a name in some parser.
  if (name.some((byte) => byte <= 0x20 || byte >= 0x7f))
    throw new MalformedHello('the server name has a character that no name has');
  return name.toString('latin1');
}

/** Reads forwards, and never beyond the end. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  end(): void {
    if (!this.isAtEnd) throw new MalformedHello('bytes stand behind its end');
  }

  u8(): number {
    return this.skip(1).readUInt8(0);
  }

  u16(): number {
    return this.skip(2).readUInt16BE(0);
  }

  vector8(min: number, max: number): Buffer {
    return this.#vector(this.u8(), min, max);
  }

  vector16(min: number, max: number): Buffer {
    return this.#vector(this.u16(), min, max);
  }

  skip(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new MalformedHello('a length leads beyond its end');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #vector(length: number, min: number, max: number): Buffer {
    if (length < min || length > max) throw new MalformedHello('a length that there may not be');
    return this.skip(length);
  }
}

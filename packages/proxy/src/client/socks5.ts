import { SocksBytes } from './socks-bytes.js';
import type { Authority } from './request-head.js';

/** What a SOCKS5 client has said and is to be told (RFC 1928, RFC 1929). */
export type SocksStep =
  /** The client is told this, and says more. */
  | { readonly type: 'reply'; readonly bytes: Buffer }
  /** Who the client is; `accept` or `reject` makes the answer. */
  | { readonly type: 'login'; readonly user: string; readonly password: string }
  /** Where it wants to go; `rest` are the bytes that came behind it. */
  | { readonly type: 'connect'; readonly to: Authority; readonly rest: Buffer }
  /** It is told this, and nothing more. */
  | { readonly type: 'refused'; readonly bytes: Buffer; readonly why: string };

/** Replies of RFC 1928 §6. */
export const SOCKS_REPLY = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  connectionRefused: 5,
  ttlExpired: 6,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

const VERSION = 5;
const AUTH_VERSION = 1;
const USER_PASSWORD = 2;
const NO_METHOD = 0xff;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** The answer to a request; the address that the proxy is bound to is nobody's business. */
export function socksReply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0]);
}

/** The answers to a user name and password. */
export const SOCKS_LOGIN = {
  accepted: Buffer.from([AUTH_VERSION, 0]),
  rejected: Buffer.from([AUTH_VERSION, 1]),
} as const;

/** Reads what a SOCKS5 client says, in whatever pieces it comes. It decides nothing. */
export class SocksReader {
  readonly #bytes = new SocksBytes();
  #state: 'greeting' | 'login' | 'request' | 'over' = 'greeting';

  push(chunk: Buffer): void {
    this.#bytes.add(chunk);
  }

  /** The next step; undefined where more has to come. */
  next(): SocksStep | undefined {
    switch (this.#state) {
      case 'greeting':
        return this.#greeting();
      case 'login':
        return this.#login();
      case 'request':
        return this.#request();
      case 'over':
        return undefined;
    }
  }

  #greeting(): SocksStep | undefined {
    const count = this.#bytes.at(1);
    if (this.#bytes.at(0) !== undefined && this.#bytes.at(0) !== VERSION)
      return this.#refuse(Buffer.alloc(0), 'it is not SOCKS5');
    if (count === undefined) return undefined;
    const greeting = this.#bytes.take(2 + count);
    if (greeting === undefined) return undefined;
    if (!greeting.subarray(2).includes(USER_PASSWORD))
      return this.#refuse(Buffer.from([VERSION, NO_METHOD]), 'no user name and password was offered');
    this.#state = 'login';
    return { type: 'reply', bytes: Buffer.from([VERSION, USER_PASSWORD]) };
  }

  #login(): SocksStep | undefined {
    if (this.#bytes.at(0) !== undefined && this.#bytes.at(0) !== AUTH_VERSION)
      return this.#refuse(SOCKS_LOGIN.rejected, 'the login is of a version that there is not');
    const userLength = this.#bytes.at(1);
    if (userLength === undefined) return undefined;
    const passwordLength = this.#bytes.at(2 + userLength);
    if (passwordLength === undefined) return undefined;
    const login = this.#bytes.take(3 + userLength + passwordLength);
    if (login === undefined) return undefined;
    this.#state = 'request';
    const user = login.toString('utf8', 2, 2 + userLength);
    return { type: 'login', user, password: login.toString('latin1', 3 + userLength) };
  }

  #request(): SocksStep | undefined {
    const head = [0, 1, 2, 3].map((index) => this.#bytes.at(index));
    const [version, command, reserved, type] = head;
    if (version !== undefined && version !== VERSION)
      return this.#fail(SOCKS_REPLY.failure, 'it is not SOCKS5');
    if (command !== undefined && command !== CONNECT)
      return this.#fail(SOCKS_REPLY.commandNotSupported, 'nothing but CONNECT is carried');
    if (reserved !== undefined && reserved !== 0)
      return this.#fail(SOCKS_REPLY.failure, 'the reserved byte is not zero');
    if (type === undefined) return undefined;
    const length = this.#addressLength(type);
    if (length === null)
      return this.#fail(SOCKS_REPLY.addressTypeNotSupported, 'an address of a kind that there is not');
    if (length === undefined) return undefined;
    if (length === 0) return this.#fail(SOCKS_REPLY.failure, 'the name is empty');
    const start = type === NAME ? 5 : 4;
    const request = this.#bytes.take(start + length + 2);
    if (request === undefined) return undefined;
    const port = request.readUInt16BE(start + length);
    if (port === 0) return this.#fail(SOCKS_REPLY.failure, 'port 0');
    this.#state = 'over';
    const host = hostOf(type, request.subarray(start, start + length));
    return { type: 'connect', to: { host, port }, rest: this.#bytes.rest() };
  }

  /** Undefined where it is not known yet, null where there is no such type. */
  #addressLength(type: number): number | null | undefined {
    if (type === IPV4) return 4;
    if (type === IPV6) return 16;
    return type === NAME ? this.#bytes.at(4) : null;
  }

  #fail(code: number, why: string): SocksStep {
    return this.#refuse(socksReply(code), why);
  }

  #refuse(bytes: Buffer, why: string): SocksStep {
    this.#state = 'over';
    return { type: 'refused', bytes, why };
  }
}

/**
 * A name stands as it was sent, whatever bytes it has: what is no name is refused where names are judged, and
 * recorded.
 */
function hostOf(type: number, bytes: Buffer): string {
  if (type === IPV4) return [...bytes].join('.');
  if (type === NAME) return bytes.toString('latin1');
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return words.join(':');
}

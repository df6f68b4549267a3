import { readHost } from '@subluminal/core-types';
import { sameAddress } from '@subluminal/egress';
import { type ClientHello, MalformedHello } from './client-hello.js';
import { Denial } from '../denial.js';
import { TlsGate } from './tls-gate.js';

/** What was decided of a connection, as far as its first bytes are held against it. */
export interface Decided {
  /** Canonical. */
  readonly host: string;
  readonly port: number;
  /** TLS may be carried; requests without it; anything else. */
  readonly tls: boolean;
  readonly plain: boolean;
  readonly raw: boolean;
  /** A name that cannot be read is no name: where only listed names pass. */
  readonly strict: boolean;
}

/** How TLS begins: with a record of a handshake. */
const HANDSHAKE = 0x16;

/**
 * The first bytes that a client sends through a tunnel, until it is known that they belong where it was let
 * to. TLS names the host that was decided on, or for an address none; anything else passes where anything
 * may.
 */
export class FirstBytes {
  readonly #decided: Decided;
  readonly #tls: TlsGate;
  #state: 'first' | 'tls' | 'plain' | 'open' = 'first';
  /** The name in the handshake, as far as it can be shown. */
  sni: string | undefined;
  /** The handshake has a part that nobody on the way can read. */
  isEncrypted = false;

  constructor(decided: Decided) {
    this.#decided = decided;
    this.#tls = new TlsGate((hello) => this.#judge(hello));
  }

  /** Whether what the client says was judged, so that the server may be heard. */
  get isJudged(): boolean {
    return this.#state === 'open' || this.#tls.isJudged;
  }

  /** Whether nothing is looked at any more. */
  get isOpen(): boolean {
    return this.#state === 'open' || this.#tls.isOpen;
  }

  get isTls(): boolean {
    return this.#state === 'tls';
  }

  /** What comes is no TLS, and may be a request without it: whoever reads such has to judge it. */
  get isPlain(): boolean {
    return this.#state === 'plain';
  }

  /**
   * Takes bytes and gives those that may go on; of a request without TLS none. Throws `Denial`
   * `name_mismatch` or `protocol_refused`; then none may.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#state === 'first') this.#begin(chunk);
    if (this.#state === 'open') return chunk;
    if (this.#state === 'plain') return undefined;
    try {
      return this.#tls.push(chunk);
    } catch (error) {
      if (!(error instanceof MalformedHello)) throw error;
      throw new Denial('protocol_refused', `what came for \`${this.#target}\` is no TLS: ${error.message}`);
    }
  }

  get #target(): string {
    const { host, port } = this.#decided;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  #begin(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const { tls, plain, raw } = this.#decided;
    const isTls = chunk[0] === HANDSHAKE;
    if (isTls && tls) this.#state = 'tls';
    // Also where anything may pass: it names its host.
    else if (plain && beginsRequest(chunk)) this.#state = 'plain';
    else if (raw) this.#state = 'open';
    else {
      const may = [...(tls ? ['TLS'] : []), ...(plain ? ['HTTP without TLS'] : [])].join(' or ');
      const what = isTls ? 'TLS' : looksLikeHttp(chunk) ? 'HTTP without TLS' : 'something else';
      throw new Denial(
        'protocol_refused',
        `\`${this.#target}\` may carry ${may}, and what came for it is ${what}`,
      );
    }
  }

  #judge({ serverName, isEncrypted }: ClientHello): void {
    const { host, strict } = this.#decided;
    this.sni = serverName;
    this.isEncrypted = isEncrypted;
    const problem = mismatchOf(serverName, host);
    if (problem !== undefined)
      throw new Denial('name_mismatch', `the connection to \`${this.#target}\` ${problem}`);
    if (isEncrypted && strict)
      throw new Denial(
        'name_mismatch',
        `the connection to \`${this.#target}\` hides which name it is for (ECH)`,
      );
  }
}

/** Why a name in a handshake is not the host that was decided on. */
function mismatchOf(serverName: string | undefined, host: string): string | undefined {
  const reading = readHost(host);
  if (reading.ok && reading.kind !== 'name') {
    const isSame = serverName === undefined || sameAddress(serverName, host);
    return isSame ? undefined : `is for \`${serverName}\``;
  }
  if (serverName === undefined) return 'does not say which name it is for (SNI)';
  const lower = serverName.toLowerCase();
  const plain = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  return plain === host ? undefined : `is for \`${serverName}\``;
}

const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|PRI) /;

/** The beginnings of requests that a proxy makes for others: neither another tunnel, nor HTTP/2. */
const REQUESTS = ['GET ', 'HEAD ', 'POST ', 'PUT ', 'PATCH ', 'DELETE ', 'OPTIONS ', 'TRACE '];

/** Also where no more than the beginning of a method has come. */
function beginsRequest(chunk: Buffer): boolean {
  const text = chunk.toString('latin1', 0, 8);
  return REQUESTS.some((begin) => text.startsWith(begin) || begin.startsWith(text));
}

/** Whether it begins as a request of HTTP does. */
export function looksLikeHttp(chunk: Buffer): boolean {
  return METHODS.test(chunk.toString('latin1', 0, 8));
}

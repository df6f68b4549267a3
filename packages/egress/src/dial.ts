import { SublError } from '@subluminal/core-types';
import { type LookupFunction, type Socket, type TcpNetConnectOpts, connect, isIP } from 'node:net';
import {
  type SecureContext,
  type TLSSocket,
  connect as connectTls,
  createSecureContext,
  rootCertificates,
} from 'node:tls';
import { sameAddress } from './address-check.js';
import { startDeadline } from './deadline.js';
import type { EgressProtocol } from './destination.js';
import { codeOf } from './error-code.js';
import type { CheckedDestination } from './resolve.js';

/** Protocols that begin with the handshake of TLS. */
const TLS_FIRST: ReadonlySet<EgressProtocol> = new Set<EgressProtocol>(['https', 'imaps', 'smtps']);

/**
 * Takes the bytes of a connection that is only passed on: one buffer for all of them, and no copy that
 * has to be cleaned up.
 */
export interface Relay {
  readonly buffer: Uint8Array;
  /**
   * So many bytes stand in `buffer`, until this returns; false stops the reading until `resume` of the
   * socket.
   */
  readonly take: (bytes: number) => boolean;
}

/** `extraCas`: PEM certificates that are trusted besides the built-in ones. */
export interface DialerOptions {
  readonly extraCas?: readonly string[];
}

/**
 * Opens connections: the only place of the product that creates an outgoing socket. It dials the judged
 * addresses as they are. No name is resolved, no proxy or certificate variable of the environment is heeded,
 * and certificates are always verified against the host that was asked for.
 */
export class Dialer {
  readonly #extraCas: readonly string[];
  #context: SecureContext | undefined;

  constructor(options: DialerOptions = {}) {
    this.#extraCas = options.extraCas ?? [];
  }

  /**
   * Connects to the first of `checked.addresses` that accepts, in their order, and for https, imaps and smtps
   * completes the handshake. `timeoutMs` is shared fairly among them, so that one silent address does not use
   * it up. The socket is destroyed when `signal` is aborted, now or later. Throws `adapter_failed`, or what
   * `signal` was aborted with. A certificate that does not verify is final: the next address is not tried.
   */
  connect(checked: CheckedDestination, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
    return this.#open(checked, timeoutMs, signal, TLS_FIRST.has(checked.protocol));
  }

  /**
   * `connect` without TLS, whatever the protocol: for whoever speaks it later, or carries what others speak.
   * With a `relay` the socket is paused, gives what comes to it, can be written to when the other side has
   * said all, and has to be ended.
   */
  openPlain(
    checked: CheckedDestination,
    timeoutMs: number,
    signal: AbortSignal,
    relay?: Relay,
  ): Promise<Socket> {
    return this.#open(checked, timeoutMs, signal, false, relay);
  }

  /**
   * Makes an open connection secure (STARTTLS): the certificate has to be valid for `checked.host`, as in
   * `connect`. Nothing may read `socket` any more, and nothing that it has given may be taken for what comes
   * after. The socket is destroyed when `signal` is aborted before the handshake is complete. Throws
   * `timed_out`, `adapter_failed`, or what `signal` was aborted with.
   */
  async secure(
    socket: Socket,
    checked: CheckedDestination,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TLSSocket> {
    const tooSlow = (): SublError =>
      new SublError('timed_out', `no secure connection to \`${checked.origin}\` within ${timeoutMs} ms`);
    const deadline = startDeadline(timeoutMs, signal, tooSlow);
    try {
      return await deadline.race(this.#secure(socket, checked));
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      throw deadline.reason() ?? error;
    } finally {
      deadline.end();
    }
  }

  async #open(
    checked: CheckedDestination,
    timeoutMs: number,
    signal: AbortSignal,
    isSecure: boolean,
    relay?: Relay,
  ): Promise<Socket> {
    const end = performance.now() + timeoutMs;
    let lastError: unknown;
    for (const [index, address] of checked.addresses.entries()) {
      // A socket that is made with an aborted signal connects nevertheless, and nothing ends it.
      signal.throwIfAborted();
      const share = (end - performance.now()) / (checked.addresses.length - index);
      try {
        const socket = await openTcp(checked, address, Math.max(share, 1), signal, relay);
        return isSecure ? await this.#secure(socket, checked) : socket;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SublError) throw error;
        lastError = error;
      }
    }
    throw new SublError('adapter_failed', `could not connect to \`${checked.origin}\`${codeOf(lastError)}`, {
      cause: lastError,
    });
  }

  #secure(socket: Socket, checked: CheckedDestination): Promise<TLSSocket> {
    // Naming the certificates keeps NODE_EXTRA_CA_CERTS and SSL_CERT_FILE out.
    this.#context ??= createSecureContext({
      ca: [...rootCertificates, ...this.#extraCas],
      minVersion: 'TLSv1.2',
    });
    const isAddress = isIP(checked.host) !== 0;
    const secure = connectTls({
      socket,
      secureContext: this.#context,
      // RFC 6066 §3: an address is no server name. The certificate is then compared with `host`.
      servername: isAddress ? '' : checked.host,
      host: checked.host,
      ...(checked.protocol === 'https' ? { ALPNProtocols: ['http/1.1'] } : {}),
      rejectUnauthorized: true,
    });
    return new Promise((resolve, reject) => {
      secure.once('secureConnect', () => {
        if (secure.authorized) {
          resolve(secure);
          return;
        }
        secure.destroy();
        reject(untrusted(checked, secure.authorizationError));
      });
      secure.once('close', () => reject(untrusted(checked, undefined)));
      secure.once('error', (error) => reject(untrusted(checked, error)));
    });
  }
}

function openTcp(
  checked: CheckedDestination,
  address: string,
  timeoutMs: number,
  signal: AbortSignal,
  relay: Relay | undefined,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(relay === undefined ? {} : relayed(relay)),
      host: address,
      port: checked.port,
      family: isIP(address),
      autoSelectFamily: false,
      noDelay: true,
      lookup: refuseLookup,
    });
    // Cheaper than the option `signal`, and the same: it ends the socket, now or later.
    const abort = (): void => void socket.destroy(abortError(signal));
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => socket.destroy(new Error('no answer')), timeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      reject(new Error('closed'));
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      // Node keeps a closed socket for a while, and what is left listening to it.
      socket.on('error', ignore).off('error', reject);
      // Before the first read: what comes is for whoever resumes it.
      if (relay !== undefined) socket.pause();
      if (socket.remoteAddress !== undefined && sameAddress(socket.remoteAddress, address)) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(
        new SublError('address_refused', `the connection to \`${checked.origin}\` reached another address`),
      );
    });
  });
}

const ignore = (): void => undefined;

function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

function relayed({ buffer, take }: Relay): Pick<TcpNetConnectOpts, 'allowHalfOpen' | 'onread'> {
  return { allowHalfOpen: true, onread: { buffer, callback: take } };
}

/**
 * A second resolution could answer differently. Addresses need none, so this is only reached by a mistake.
 */
const refuseLookup: LookupFunction = (hostname, _options, callback) => {
  callback(new SublError('address_refused', `\`${hostname}\` must not be resolved again`), '', 0);
};

function untrusted(checked: CheckedDestination, error: Error | string | undefined): SublError {
  const code = typeof error === 'string' ? ` (${error})` : codeOf(error);
  const isOtherProtocol = code === ' (ERR_SSL_WRONG_VERSION_NUMBER)';
  return new SublError('adapter_failed', `no secure connection to \`${checked.origin}\`${code}`, {
    help: isOtherProtocol
      ? 'what answers there does not begin with TLS: check the port, and for mail whether STARTTLS is meant'
      : 'the certificate must be valid for that host, and issued by a public authority or one of `[egress] extra_ca_file` in config.toml, which is read when the gateway starts',
    cause: error,
  });
}

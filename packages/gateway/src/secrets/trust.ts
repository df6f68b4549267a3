import { type CommandBinding, secretPlaceOf, SublError } from '@subluminal/core-types';
import { type TrustFiles, writeTrustFiles } from './trust-files.js';

/** The certificate, in PEM, of the authority that the proxy has for a host. */
export interface CertificatesOfHosts {
  certificateOf(host: string): string;
}

export interface TrustParts {
  readonly folder: string;
  readonly authorities: CertificatesOfHosts;
  readonly extraCas: readonly string[];
  /** The proxy listens. */
  readonly isServing: () => boolean;
}

/** What a server has to trust, so that secrets can be put in on its connections. */
export class Trust {
  readonly #parts: TrustParts;

  constructor(parts: TrustParts) {
    this.#parts = parts;
  }

  /**
   * Throws `secret_refused` where a server with these bindings would have placeholders that nobody replaces.
   */
  assertServing(bindings: readonly CommandBinding[]): void {
    const binding = bindings.find(({ inject }) => inject === 'egress');
    if (binding === undefined || this.#parts.isServing()) return;
    throw new SublError(
      'secret_refused',
      `the secret for \`${binding.inject_as}\` is put in by the proxy, and there is none`,
      {
        help: 'set `[egress] mode` to `observe` or `enforce` and restart the gateway; `sub doctor` says what keeps the proxy from listening',
      },
    );
  }

  /** The files for these bindings; undefined where none of them needs any. */
  filesFor(bindings: readonly CommandBinding[]): TrustFiles | undefined {
    const hosts = new Set(
      bindings
        .filter(({ inject }) => inject === 'egress')
        .flatMap(({ hosts: named = [] }) => named.map((text) => secretPlaceOf(text).host)),
    );
    if (hosts.size === 0) return undefined;
    const { folder, authorities, extraCas } = this.#parts;
    const own = [...hosts].toSorted().map((host) => authorities.certificateOf(host));
    return writeTrustFiles(folder, own, extraCas);
  }
}

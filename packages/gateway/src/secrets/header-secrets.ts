import {
  type HeaderBinding,
  headerValueProblem,
  isHeaderBinding,
  isSublError,
  secretProblem,
  SublError,
} from '@subluminal/core-types';
import type { ConfigFile } from '../config/form.js';
import { PerVersion } from '../config/per-version.js';
import { addressVerdict, type CheckedDestination, parseEndpoint, type Endpoint } from '@subluminal/egress';
import { exactly } from '../config/server-claims.js';
import { readSecretFile } from './own-secret-file.js';
import type { GivenHeaders } from '../store/given-headers.js';
import type { RunSecrets } from './run-secrets.js';
import type { SecretStore } from './store.js';

/** A header of requests to a remote server, with the secret in it. */
export interface LiveHeader {
  readonly name: string;
  /** The whole value of the header. */
  readonly text: string;
  readonly value: string;
  readonly redact: boolean;
}

export interface HeaderSecretParts {
  readonly config: ConfigFile;
  readonly store: Pick<SecretStore, 'read'>;
  readonly runSecrets: RunSecrets;
  readonly given: GivenHeaders;
}

interface Addressed {
  readonly binding: HeaderBinding;
  readonly address: string;
}

/**
 * Secrets in headers of requests to remote MCP servers: bound to a name and a URL, and to neither without the
 * other. Each request looks at `config.toml` and reads the source of a secret anew.
 */
export class HeaderSecrets {
  readonly #parts: HeaderSecretParts;
  readonly #bindings: PerVersion<readonly Addressed[]>;

  constructor(parts: HeaderSecretParts) {
    this.#parts = parts;
    this.#bindings = new PerVersion(parts.config, ({ secret_bindings: all = [] }) =>
      all.filter(isHeaderBinding).map(addressed),
    );
  }

  /**
   * Tells one state of the bindings from another. Throws `config_invalid` where the file cannot be looked at.
   */
  get version(): string {
    return this.#bindings.version;
  }

  /**
   * The bindings of a server of that name at that address. Throws `secret_refused` where the name has secrets
   * at other addresses alone, and `config_invalid` or `not_available` where its bindings cannot be read.
   */
  boundTo(name: string, asked: Endpoint): readonly HeaderBinding[] {
    const named = this.#bindings.now.filter(({ binding }) => binding.server_name === name);
    const bound = named.filter(({ address }) => address === exactly(asked)).map(({ binding }) => binding);
    if (named.length > 0 && bound.length === 0)
      throw new SublError(
        'secret_refused',
        `\`${name}\` has secrets, and this is not the URL that they are bound to`,
      );
    return bound;
  }

  /**
   * The headers of these bindings as they are now. Their secrets are kept out of the run's record from here
   * on. Throws `secret_missing` and `secret_refused`.
   */
  valuesOf(runId: string, bindings: readonly HeaderBinding[]): readonly LiveHeader[] {
    const live = bindings.map((binding) => this.liveOf(binding));
    if (
      !this.#parts.runSecrets.add(
        runId,
        live.map(({ name, value }) => ({ name, value })),
      )
    )
      throw new SublError('secret_refused', 'the servers of this run have too many secrets');
    return live;
  }

  /**
   * As `valuesOf`, of bindings for requests that go there. Throws `secret_refused` also where that is neither
   * TLS nor this machine.
   */
  sentTo(
    { protocol, addresses, origin }: CheckedDestination,
    runId: string,
    bindings: readonly HeaderBinding[],
  ): readonly LiveHeader[] {
    const isPrivate =
      protocol === 'https' || addresses.every((address) => addressVerdict(address) === 'loopback');
    if (bindings.length > 0 && !isPrivate)
      throw new SublError(
        'secret_refused',
        `a secret is sent over TLS only, and \`${origin}\` is not on this machine`,
      );
    return this.valuesOf(runId, bindings);
  }

  /** The header of one binding. Throws `secret_missing`. */
  liveOf({ inject_as: name, secret_ref, source, redact, prefix = '' }: HeaderBinding): LiveHeader {
    const value = source === 'file' ? readSecretFile(secret_ref) : this.#parts.store.read(secret_ref);
    const problem = secretProblem(value, { redact }) ?? headerValueProblem(value, prefix);
    if (problem !== undefined)
      throw new SublError('secret_missing', `the secret for \`${name}\` cannot be used: ${problem}`);
    return { name, text: prefix + value, value, redact };
  }

  /** The same as far as they can be had: a secret that is gone is not sent either. */
  keepOutOfRecord(runId: string, name: string, asked: Endpoint): void {
    this.#keep(runId, () => this.boundTo(name, asked));
  }

  #keep(runId: string, bindings: () => readonly HeaderBinding[]): void {
    try {
      this.valuesOf(runId, bindings());
    } catch (error) {
      if (!isSublError(error)) throw error;
    }
  }

  /**
   * A server of the run is given secrets: a gateway that comes later keeps them out of its record as well.
   */
  noteGiven(runId: string, name: string): void {
    this.#parts.given.add(runId, name);
  }

  /** Keeps those that servers of live runs were given out of their records, as far as they can be had. */
  restore(): void {
    for (const { runId, serverName } of this.#parts.given.all())
      this.#keep(runId, () =>
        this.#bindings.now.flatMap(({ binding }) => (binding.server_name === serverName ? [binding] : [])),
      );
  }
}

function addressed(binding: HeaderBinding): Addressed {
  try {
    return { binding, address: exactly(parseEndpoint(binding.url)) };
  } catch (cause) {
    throw new SublError(
      'config_invalid',
      `\`url\` of a secret of \`${binding.server_name}\` in config.toml has no usable host`,
      { cause },
    );
  }
}

import {
  type CommandBinding,
  isSublError,
  type JsonObject,
  secretPlaceOf,
  type SecretSource,
  secretProblem,
  SublError,
} from '@subluminal/core-types';
import type { ConfigFile } from '../config/form.js';
import { PerVersion } from '../config/per-version.js';
import type { Upstream, UpstreamStore } from '../store/upstreams.js';
import { aboutHash } from './about.js';
import { argvHash, isStarted } from './bindings.js';
import { readSecretFile } from './own-secret-file.js';
import { assertReplaceable, placeholderFor } from './placeholder.js';
import type { RunSecrets } from './run-secrets.js';
import type { SecretStore } from './store.js';

/** A placeholder that a server was started with, and what it stands for. */
export interface Placed {
  readonly injectAs: string;
  readonly secretRef: string;
  readonly source: SecretSource;
  /** `host:port` each. */
  readonly places: readonly string[];
  readonly placeholder: string;
}

/** A placeholder with what is put in its place, on one connection. */
export interface LiveSecret extends Placed {
  readonly value: string;
}

/** What stands behind placeholders. */
export interface PlaceholderParts {
  readonly config: ConfigFile;
  /** They are derived from it, so that nothing about them has to be kept. */
  readonly key: Uint8Array;
  readonly upstreams: Pick<UpstreamStore, 'withPlaceholders'>;
  readonly store: Pick<SecretStore, 'read'>;
  readonly runSecrets: RunSecrets;
}

/** As `gateway.db` has it beside an upstream. */
interface Facts {
  readonly inject_as: string;
  readonly secret_ref: string;
  readonly source: SecretSource;
  readonly inject?: 'egress';
  readonly places?: readonly string[];
  readonly bytes?: number;
}

/**
 * The placeholders of servers that run, and the secrets that they stand for. Which may be put in is asked
 * anew for each connection: of the server, while it runs, of its binding, while it stands in `config.toml` as
 * it was released, and of the place.
 */
export class Placeholders {
  readonly #parts: PlaceholderParts;
  readonly #bindings: PerVersion<readonly CommandBinding[]>;

  constructor(parts: PlaceholderParts) {
    this.#parts = parts;
    this.#bindings = new PerVersion(parts.config, ({ secret_bindings: all = [] }) => all.filter(isStarted));
  }

  /** Makes the placeholder of a server for a value. */
  place(upstream: Pick<Upstream, 'runId' | 'token'>, binding: CommandBinding, value: string): Placed {
    const { inject_as: injectAs, secret_ref: secretRef, source } = binding;
    const bytes = Buffer.byteLength(value);
    const placeholder = placeholderFor(this.#parts.key, { ...upstream, injectAs }, bytes);
    return { injectAs, secretRef, source, places: placesOf(binding), placeholder };
  }

  /** The placeholder that a server was given as that variable; undefined where it was given none. */
  of(upstream: Upstream, injectAs: string): string | undefined {
    return this.#allOf(upstream).find((one) => one.injectAs === injectAs)?.placeholder;
  }

  /**
   * Those that may be replaced on a connection of that server to that place. Throws `config_invalid` where
   * `config.toml` cannot be read and there may be some: nothing is known of bindings then.
   */
  at(runId: string, serverName: string, host: string, port: number): readonly Placed[] {
    const place = `${host}:${port}`;
    return this.#parts.upstreams
      .withPlaceholders(runId)
      .flatMap((upstream) =>
        this.#allOf(upstream).filter(
          (placed) =>
            placed.places.includes(place) &&
            this.#bindings.now.some(
              (binding) =>
                binding.server_name === serverName &&
                binding.inject === 'egress' &&
                binding.inject_as === placed.injectAs &&
                binding.secret_ref === placed.secretRef &&
                binding.source === placed.source &&
                placesOf(binding).includes(place) &&
                aboutHash(serverName, argvHash(binding.command)) === upstream.aboutHash,
            ),
        ),
      );
  }

  /** All placeholders of a run that are bound to a host, on whatever port. */
  boundTo(runId: string, host: string): readonly string[] {
    return this.#parts.upstreams
      .withPlaceholders(runId)
      .flatMap((upstream) => this.#allOf(upstream))
      .filter(({ places }) => places.some((place) => secretPlaceOf(place).host === host))
      .map(({ placeholder }) => placeholder);
  }

  /**
   * The secrets that those stand for, as they are now; they are kept out of the record from here on. Throws
   * `secret_missing`, and `secret_refused` where one has another length than its placeholder, or there are
   * too many.
   */
  valuesOf(runId: string, placed: readonly Placed[]): readonly LiveSecret[] {
    const live = placed.map((one) => ({ ...one, value: this.#valueOf(one) }));
    const held = live.map(({ injectAs: name, value, source, secretRef }) => ({
      name,
      value,
      source,
      secretRef,
    }));
    if (!this.#parts.runSecrets.hold(runId, held))
      throw new SublError('secret_refused', 'the servers of this run have too many secrets');
    return live;
  }

  /** The secrets of a server, as far as they can be had: nothing that is recorded of its run holds one. */
  keepOutOfRecord(upstream: Upstream): void {
    for (const placed of this.#allOf(upstream)) {
      try {
        this.valuesOf(upstream.runId, [placed]);
      } catch (error) {
        // One that is gone, or another by now, is not put in either.
        if (!isSublError(error)) throw error;
      }
    }
  }

  #valueOf({ injectAs, secretRef, source, placeholder }: Placed): string {
    const value = source === 'file' ? readSecretFile(secretRef) : this.#parts.store.read(secretRef);
    const problem = secretProblem(value, { redact: false });
    if (problem !== undefined)
      throw new SublError('secret_missing', `the secret for \`${injectAs}\` cannot be used: ${problem}`);
    assertReplaceable(value, injectAs);
    if (Buffer.byteLength(value) === placeholder.length) return value;
    throw new SublError(
      'secret_refused',
      `the secret for \`${injectAs}\` has another length than when the server was started: it has to be started anew`,
    );
  }

  #allOf({ runId, token, secrets }: Upstream): readonly Placed[] {
    const facts = JSON.parse(secrets ?? '[]') as readonly Facts[];
    return facts.flatMap(({ inject_as: injectAs, secret_ref: secretRef, source, inject, places, bytes }) => {
      if (inject !== 'egress' || places === undefined || bytes === undefined) return [];
      const placeholder = placeholderFor(this.#parts.key, { runId, token, injectAs }, bytes);
      return [{ injectAs, secretRef, source, places, placeholder }];
    });
  }
}

/** What is remembered of a placeholder beside its upstream: all but itself. */
export function placedFacts({ places, placeholder }: Placed): JsonObject {
  return { inject: 'egress', places: [...places], bytes: placeholder.length };
}

function placesOf({ hosts = [] }: CommandBinding): readonly string[] {
  return hosts.map((text) => {
    const { host, port } = secretPlaceOf(text);
    return `${host}:${port}`;
  });
}

import type { HomePaths } from '@subluminal/ipc';
import type { Database } from 'better-sqlite3';
import { Authorities, AuthorityStore } from '@subluminal/proxy';
import {
  type Clock,
  GivenHeaders,
  HeaderSecrets,
  type KeyRing,
  Placeholders,
  type ProxyPlace,
  type RandomBytes,
  removeTrustFiles,
  type RunSecrets,
  type SecretStore,
  type Settings,
  Trust,
  type UpstreamStore,
} from '@subluminal/gateway';
import { configOf } from './config.js';

/** What secrets are put in with. */
export interface InjectFoundation {
  readonly db: Database;
  readonly settings: Pick<Settings, 'now'>;
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  readonly upstreams: UpstreamStore;
  readonly secrets: SecretStore;
  readonly runSecrets: RunSecrets;
  readonly extraCas: readonly string[];
  readonly proxyPlace: ProxyPlace;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Runs go on whose servers an earlier gateway has started. */
  readonly hasRuns: boolean;
}

/** The secrets of the home, and what puts them in on the way out. */
export interface ComposedInjection {
  readonly secrets: SecretStore;
  readonly placeholders: Placeholders;
  readonly headers: HeaderSecrets;
  readonly authorities: Authorities;
  readonly trust: Trust;
}

/** Wires placeholders with the store that has the secrets, and with the authorities that servers trust. */
export function composeInjection(from: InjectFoundation): ComposedInjection {
  const { db, settings, paths, keys, upstreams, secrets, runSecrets, extraCas, proxyPlace, clock, random } =
    from;
  if (!from.hasRuns) removeTrustFiles(paths.trustDir);
  const key = keys.deriveOwn('authority', '1');
  const authorities = new Authorities({ store: new AuthorityStore(db), key, clock, random });
  const given = new GivenHeaders(db);
  const headers = new HeaderSecrets({ config: configOf(paths), store: secrets, runSecrets, given });
  headers.restore();
  return {
    secrets,
    authorities,
    headers,
    placeholders: new Placeholders({
      config: configOf(paths),
      key: keys.deriveOwn('placeholder', '1'),
      upstreams,
      store: secrets,
      runSecrets,
    }),
    trust: new Trust({
      folder: paths.trustDir,
      authorities,
      extraCas,
      isServing: () => settings.now.egress.mode !== 'off' && proxyPlace.port !== null,
    }),
  };
}

import type { ActionParts } from '../parts.js';
import {
  HeaderRelease,
  type NetActions,
  OwnListeners,
  RunTraffic,
  netActions,
  pastConnections,
} from '@subluminal/net';
import {
  type Clock,
  type RunRegistry,
  ServerClaims,
  type Settings,
  type StartConfig,
} from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';

/** What runs have of the network, as `config.toml` limits it. */
export function composeTraffic(settings: Pick<Settings, 'now'>, clock: Clock): RunTraffic {
  return new RunTraffic(() => {
    const { egress } = settings.now;
    return {
      connectionsPerMinute: egress.connections_per_minute,
      maxOpen: egress.max_run_connections,
      maxBytes: egress.max_run_bytes,
    };
  }, clock);
}

/** Counts again what the runs that go on had of it: ending the gateway refills nothing. */
export function restoreTraffic(
  traffic: RunTraffic,
  from: {
    readonly reader: LedgerReader;
    readonly registry: RunRegistry;
    readonly config: StartConfig;
    readonly clock: Clock;
  },
): void {
  const runs = new Map(from.registry.all().map(({ id, startedMs }) => [id, startedMs]));
  const countsBytes = from.config.egress.max_run_bytes !== undefined;
  traffic.restore(pastConnections({ reader: from.reader, runs, now: from.clock(), countsBytes }));
}

/** The actions on the allowlist and on connections. */
export function composeNet(from: ActionParts): NetActions {
  const { settings, detector, traffic, recorder, late, clock, paths, allowlist, resolver, panic } = from;
  const { headers, placeholders, secrets } = from.injection;
  return netActions({
    allowlist,
    resolver,
    panic,
    listeners: ownListeners(from),
    claims: new ServerClaims(paths.config),
    headers,
    release: new HeaderRelease({ headers, store: secrets }),
    placeholders,
    egress: () => settings.now.egress,
    detector,
    traffic,
    recorder,
    late,
    clock,
  });
}

/** The doors of the gateway itself, to which nobody is connected. */
export function ownListeners({
  httpPort,
  proxyPlace,
}: Pick<ActionParts, 'httpPort' | 'proxyPlace'>): OwnListeners {
  return new OwnListeners([httpPort, () => proxyPlace.port]);
}

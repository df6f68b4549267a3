import { RunTraffic, pastConnections } from '@subluminal/net';
import type { Clock, RunRegistry, Settings, StartConfig } from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';

/** The traffic of runs, as `config.toml` limits it. */
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

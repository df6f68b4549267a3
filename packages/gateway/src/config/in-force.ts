import type { GatewayConfig } from '@subluminal/core-types';
import type { ConfigSection } from './section.js';

/**
 * The settings that a running gateway cannot change: ports, paths, and the settings that its files, sockets
 * and connections were opened with. Code that reads one of the others asks `Settings.now` each time.
 */
export type StartConfig = Pick<GatewayConfig, 'durability' | 'heads_log' | 'ipc' | 'policy'> & {
  readonly egress: Pick<
    GatewayConfig['egress'],
    'extra_ca_file' | 'proxy_port' | 'max_bytes_per_second' | 'max_run_bytes'
  >;
  readonly ledger: Pick<GatewayConfig['ledger'], 'segment_mb'>;
};

/**
 * The settings that hold once a running gateway has read `next`: all of it, except the ones that only a start
 * changes.
 */
export function inForce(
  running: GatewayConfig,
  next: GatewayConfig,
  sections: readonly ConfigSection[],
): GatewayConfig {
  const { durability, heads_log, ipc, policy, egress, ledger } = running;
  const tables = new Map<string, unknown>(Object.entries(running));
  const kept = sections.filter(({ takesEffect }) => takesEffect === 'with a start');
  const { extra_ca_file, proxy_port, max_bytes_per_second, max_run_bytes } = egress;
  // The proxy is opened by a start, and runs were told where it listens.
  const opens = (egress.mode === 'off') !== (next.egress.mode === 'off');
  const mode = opens ? egress.mode : next.egress.mode;
  return {
    ...next,
    ...Object.fromEntries(kept.map(({ name }) => [name, tables.get(name)])),
    durability,
    heads_log,
    ipc,
    policy,
    egress: { ...next.egress, mode, extra_ca_file, proxy_port, max_bytes_per_second, max_run_bytes },
    ledger: { ...next.ledger, segment_mb: ledger.segment_mb },
  };
}

import type { GatewayConfig } from '@subluminal/core-types';
import { changesBetween, leavesOf, type SettingChange } from './changes.js';
import { hasMore, isLater, isMore, neverLooser, type IsLooser } from './ranks.js';
import type { ConfigSection } from './section.js';

type Settings = ReadonlyMap<string, unknown>;

/** Settings of which none holds anything back. */
const NEUTRAL = ['autostart', 'disk.layers_days', 'egress.proxy_port', 'ledger.segment_mb', 'log.level'];
/** Settings of which more lets more pass; without a value there is no limit. */
const LIMITS = [
  'approvals.expires_after_s',
  'calls.timeout_ms',
  'disk.layers_mb',
  'egress.connections_per_minute',
  'egress.idle_ms',
  'egress.max_bytes_per_second',
  'egress.max_connections',
  'egress.max_redirects',
  'egress.max_response_bytes',
  'egress.max_run_bytes',
  'egress.max_run_connections',
  'egress.timeout_ms',
  'ipc.max_bytes_in_flight',
  'ipc.max_connections',
  'ipc.max_frame_bytes',
  'ipc.max_in_flight',
  'ipc.max_run_bytes',
  'ipc.max_run_connections',
  'ipc.max_run_in_flight',
  'ipc.max_unauthenticated',
  'ledger.max_mb',
  'rate_limits.default',
  'rate_limits.global',
  'runs.enrolments_per_minute',
];

/**
 * How single settings are compared. A setting that is not here counts as looser whatever becomes of it, as
 * `inspect.max_inspect_bytes`: below it less is inspected, above it larger lists of tools pass.
 */
const RANKS: ReadonlyMap<string, IsLooser> = new Map<string, IsLooser>([
  ...NEUTRAL.map((key) => [key, neverLooser] as const),
  ...LIMITS.map((key) => [key, isMore] as const),
  ['approvals.ask', isLater(false, true)],
  // A program of the operator is started, with what agents want to do.
  ['approvals.notify', (_, now) => typeof now !== 'boolean'],
  ['durability', isLater('fsync', 'process')],
  ['egress.extra_ca_file', (_, now) => now !== undefined],
  ['egress.mode', isLater('enforce', 'observe', 'off')],
  ['inspect.max_preview_bytes', (old, now) => isMore(now, old)],
  ['policy.accept', isLater('signed', 'operator', 'file')],
  ['retention.preview_days', (old, now) => isMore(now, old)],
  ['runs.require_ticket', isLater(true, false)],
]);

/** Whether `after` may let something pass that `before` held back, or record less of it. */
export function loosens(
  before: GatewayConfig,
  after: GatewayConfig,
  sections: readonly ConfigSection[],
): boolean {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const [taken, ranks] = [takenHosts(before), ranksWith(sections)];
  return changesBetween(before, after).some(({ key }) => isLooser(key, old, now, taken, ranks));
}

/** Those of the core, and of each section's own settings. */
function ranksWith(sections: readonly ConfigSection[]): ReadonlyMap<string, IsLooser> {
  const own = sections.flatMap(({ name, looser }) =>
    Object.entries(looser).map(([key, rank]) => [`${name}.${key}`, rank] as const),
  );
  return new Map([...own, ...RANKS]);
}

/** Settings in force that let more pass than they did in what their words meant before. */
export function loosenedSince(meaning: number, { egress }: GatewayConfig): readonly SettingChange[] {
  // Private addresses, and addresses in place of names, pass since 2.
  if (meaning >= 2 || egress.mode !== 'observe') return [];
  return [{ key: 'egress.mode', from: egress.mode, to: egress.mode }];
}

function isLooser(
  key: string,
  old: Settings,
  now: Settings,
  taken: ReadonlySet<string>,
  ranks: ReadonlyMap<string, IsLooser>,
): boolean {
  const [from, to] = [old.get(key), now.get(key)];
  const otherwise = (name: string): boolean => isMore(from ?? old.get(name), to ?? now.get(name));
  if (key.startsWith('rate_limits.actions.')) return otherwise('rate_limits.default');
  if (key.startsWith('servers.') && key.endsWith('.timeout_ms')) return otherwise('calls.timeout_ms');
  if (key.startsWith('servers.') && key.endsWith('.url')) return isUrlLooser(from, to, taken);
  if (key.startsWith('servers.') && key.endsWith('.world')) return from === true && to !== true;
  if (key.startsWith('servers.') && /\.world_(?:read|write)$/.test(key)) return hasMore(from ?? [], to ?? []);
  if (key === 'policy.signers') {
    const begins = old.get('policy.accept') !== 'signed' && now.get('policy.accept') === 'signed';
    return !begins && hasMore(from, to);
  }
  return ranks.get(key)?.(from, to) ?? true;
}

/**
 * An address that a name gets may be reached by it, and one that it loses by every name. A name without one
 * could reach any address but those of others, so its first one is stricter unless another has that host.
 */
function isUrlLooser(from: unknown, to: unknown, taken: ReadonlySet<string>): boolean {
  if (from !== undefined) return to === undefined || hasMore(from, to) || hasMore(to, from);
  return hostsOf(to).some((host) => taken.has(host));
}

function takenHosts({ servers = {} }: GatewayConfig): ReadonlySet<string> {
  return new Set(Object.values(servers).flatMap(({ url }) => (url === undefined ? [] : hostsOf(url))));
}

function hostsOf(urls: unknown): readonly string[] {
  return [urls].flat().map((url) => new URL(String(url)).hostname.replace(/\.$/, ''));
}

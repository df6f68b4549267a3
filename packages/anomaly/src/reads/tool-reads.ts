import type { GatewayConfig } from '@subluminal/core-types';
import type { Detector, ToolReads } from '@subluminal/gateway';

/**
 * Tells the detector which calls read text that others can write, by the `openWorldHint` of the tool or by
 * `untrusted_servers`, and which read something private, by `private_servers`. A tool's sending is not seen
 * here: its server's connections are.
 */
export function toolReads(
  detector: Pick<Detector, 'read'>,
  config: () => Pick<GatewayConfig['anomaly'], 'untrusted_servers' | 'private_servers'>,
): ToolReads {
  return (run, { server_name: server, tool_name: tool }, raised, ref) => {
    const { untrusted_servers: untrusted, private_servers: own } = config();
    const isUntrusted = untrusted.includes(server) || raised.includes('network_like');
    const isPrivate = own.includes(server);
    if (!isUntrusted && !isPrivate) return;
    const what = `tool \`${server}.${tool}\``;
    detector.read(run, { what, place: undefined, ref, untrusted: isUntrusted, private: isPrivate });
  };
}

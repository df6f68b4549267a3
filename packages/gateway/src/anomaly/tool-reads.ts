import type { GatewayConfig, ToolCallBeginPayload } from '@subluminal/core-types';
import type { AnomalyDetector } from './detector.js';
import type { RunSubject } from './run-memory.js';

/**
 * Told of a call that is allowed, with the classes that its tool's annotations add and the reference of its
 * decision.
 */
export type ToolReads = (
  run: RunSubject,
  call: Pick<ToolCallBeginPayload, 'server_name' | 'tool_name'>,
  raised: readonly string[],
  ref: string,
) => void;

/**
 * Tells the detector which calls read what others can write, by the `openWorldHint` of the tool or by
 * `untrusted_servers`, and which read something private, by `private_servers`. What a tool sends is not seen
 * here: its server's connections are.
 */
export function toolReads(
  detector: Pick<AnomalyDetector, 'read'>,
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

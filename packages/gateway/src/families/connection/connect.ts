import type { ActionHandler } from '../../pipeline/handlers.js';
import { success } from '../../pipeline/reply.js';
import type { RunTraffic } from './run-traffic.js';

/**
 * `net.connect`: everything is decided and recorded. What is answered may be dialled while the allowlist is of that generation,
 * and nothing else; `seq` is what `net.end` names. `bytes_left`: what the run may carry besides what its open
 * connections have, null for no limit.
 */
export function netConnect(traffic: RunTraffic): ActionHandler {
  return {
    execute: ({ decided, connection, pendingSeq, runId }) => {
      if (decided?.destination === undefined || connection === undefined || pendingSeq === undefined)
        throw new Error('a connection passed without a decision');
      if (runId === null) throw new Error('a connection of no run passed');
      traffic.open(runId, pendingSeq);
      const { host, port, addresses, allowPrivate } = decided.destination;
      return success({
        seq: pendingSeq,
        host,
        port,
        addresses: [...addresses],
        allow_private: allowPrivate,
        generation: decided.generation,
        tls: connection.tls,
        plain: connection.plain,
        raw: connection.raw,
        listed: connection.listed,
        inspected: connection.injects.length > 0,
        bytes_left: traffic.bytesLeft(runId),
      });
    },
  };
}

import type { ActionResponse } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import type { LedgerRow } from '@subluminal/ledger';
import { dataOf, start, type TestGateway } from '../gateway/harness.js';

/** What names lead to; any other is not found. What stands here may be changed between two requests. */
export type Names = Record<string, readonly string[]>;

/** A gateway whose names lead where `names` says, and no further. */
export function startWith(
  names: Names,
  egress = '',
  more: Parameters<typeof start>[0] = {},
): Promise<TestGateway> {
  return start({
    config: `[egress]\n${egress}\n`,
    resolver: {
      resolve: (host) => {
        const found = names[host];
        return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found);
      },
    },
    ...more,
  });
}

/** Asks for a connection to `host:port`. */
export function connect(
  client: GatewayClient,
  host: string,
  port = 443,
  more: Record<string, unknown> = {},
): Promise<ActionResponse> {
  return client.request('net.connect', { via: 'connect', host, port, ...more });
}

/** Says that a connection is over. */
export function end(
  client: GatewayClient,
  seq: unknown,
  more: Record<string, unknown> = {},
): Promise<ActionResponse> {
  return client.request('net.end', {
    pending_seq: seq,
    outcome: 'closed',
    bytes_up: 10,
    bytes_down: 20,
    ms: 5,
    ...more,
  });
}

/** The number of a connection that was opened. */
export function seqOf(answer: ActionResponse): number {
  const { seq } = dataOf(answer);
  if (typeof seq !== 'number') throw new Error(`no connection in ${JSON.stringify(answer)}`);
  return seq;
}

/** `ok`, or the code of the refusal. */
export function outcomeOf(answer: ActionResponse): string {
  return answer.status === 'success' ? 'ok' : (answer.error?.code ?? answer.status);
}

/** The entries of connections, in their order. */
export function netRows(world: TestGateway): LedgerRow[] {
  return world.rows().filter(({ tool }) => tool === 'net.connect' || tool === 'net.end');
}

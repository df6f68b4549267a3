import type { ActionName, ActionResponse, JsonObject } from '@subluminal/core-types';
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

/** An answer, over the socket or within the gateway. */
export type Answer = Pick<ActionResponse, 'status' | 'data' | 'error' | 'auditRef'>;

/** A client with a key, or the gateway's own session of a run. */
export interface Asker {
  request(action: ActionName, payload: JsonObject): Promise<Answer>;
}

/** The session in which the proxy asks. */
export function gatewayFor({ gateway }: TestGateway, run: { readonly id: string }): Asker {
  const session = gateway.openInner({ kind: 'gateway', runId: run.id }, () => undefined);
  if (session === undefined) throw new Error('the run does not live');
  return { request: (action, payload) => session.ask(action, payload) };
}

/** Asks for a connection to `host:port`. */
export function connect(client: Asker, host: string, port = 443, more: JsonObject = {}): Promise<Answer> {
  return client.request('net.connect', { via: 'connect', host, port, ...more });
}

/** Says that a connection is over. */
export function end(client: Asker, seq: number, more: JsonObject = {}): Promise<Answer> {
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
export function seqOf(answer: Answer): number {
  const { seq } = dataOf(answer);
  if (typeof seq !== 'number') throw new Error(`no connection in ${JSON.stringify(answer)}`);
  return seq;
}

/** `ok`, or the code of the refusal. */
export function outcomeOf(answer: Answer): string {
  return answer.status === 'success' ? 'ok' : (answer.error?.code ?? answer.status);
}

/** The entries of connections, in their order. */
export function netRows(world: TestGateway): LedgerRow[] {
  return world.rows().filter(({ tool }) => tool === 'net.connect' || tool === 'net.end');
}

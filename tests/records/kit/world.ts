import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ActionResponse, JsonObject } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { dataOf, start, type TestGateway } from '../../gateway/harness.js';
import type { Authority } from './https.js';

const QUIET = '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "flag"\n';

/**
 * A gateway that trusts the test's authority and finds every name on this machine, and the ways to use it.
 */
export interface Records {
  readonly world: TestGateway;
  readonly operator: GatewayClient;
  readonly allow: (host: string, port: number) => Promise<string>;
  readonly account: (kind: string, name: string, settings: JsonObject, secret: string) => Promise<void>;
}

export async function records(authority: Authority, config = '', timeoutMs = 20_000): Promise<Records> {
  const world = await start({
    config: `${QUIET}${config}\n[egress]\ntimeout_ms = ${timeoutMs}\nmax_response_bytes = 200000\n`,
    extraCas: [readFileSync(authority.caFile, 'utf8')],
    resolver: { resolve: () => Promise.resolve(['127.0.0.1']) },
  });
  const operator = await world.operator();
  return {
    world,
    operator,
    allow: async (host, port) => {
      const { entry } = dataOf(await operator.request('allow.add', { host, port, allow_private: true }));
      return (entry as JsonObject)['id'] as string;
    },
    account: async (kind, name, settings, secret) => {
      const added = await operator.request('account.add', {
        kind,
        name,
        settings,
        secret,
        salt: randomBytes(24).toString('base64url'),
      });
      if (added.status !== 'success') throw new Error(JSON.stringify(added.error));
    },
  };
}

/** Its code where it failed, else its status. */
export function codeOf({ status, error }: ActionResponse): string {
  return error?.code ?? status;
}

/** The data of a success; the error of anything else is thrown. */
export function given(answer: ActionResponse): JsonObject {
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer.error));
  return dataOf(answer);
}

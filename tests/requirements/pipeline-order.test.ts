import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readCredential } from '@subluminal/ipc';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerRow } from '@subluminal/ledger';
import { after, start } from '../gateway/harness.js';
import { signedPeer } from '../gateway/raw-peer.js';

const CONFIG = `
[rate_limits.actions]
"service.api_call" = 1
[anomaly]
burst = "approve"
new_domain = "flag"
large_payload = "approve"
`;

const LARGE_BODY = 'x'.repeat(1_100_000);
const FORGED = 'A'.repeat(43);

interface Attempt {
  readonly method: string;
  readonly host: string;
  readonly body?: string;
  readonly forged: boolean;
  /** The one request of the hour has been made before. */
  readonly usedUp: boolean;
}

/** Each attempt fails at its stage, and would fail at every later one too. */
const ATTEMPTS: readonly [stage: string, status: string, code: string, attempt: Attempt][] = [
  [
    'schema',
    'error',
    'invalid_request',
    { method: 'TRACE', host: 'elsewhere.example', body: LARGE_BODY, forged: true, usedUp: true },
  ],
  [
    'signature',
    'error',
    'bad_signature',
    { method: 'POST', host: 'elsewhere.example', body: LARGE_BODY, forged: true, usedUp: true },
  ],
  [
    'allowlist',
    'error',
    'not_allowed',
    { method: 'POST', host: 'elsewhere.example', body: LARGE_BODY, forged: false, usedUp: true },
  ],
  [
    'rate-limit',
    'rate_limited',
    'rate_limited',
    { method: 'POST', host: '127.0.0.1', body: LARGE_BODY, forged: false, usedUp: true },
  ],
  [
    'anomaly',
    'requires_approval',
    'requires_approval',
    { method: 'POST', host: '127.0.0.1', body: LARGE_BODY, forged: false, usedUp: false },
  ],
];

/** A service on a free port; gives its port and how many requests reached it. */
async function service(): Promise<{ port: number; reached: () => number }> {
  let reached = 0;
  const server = createServer((request, response) => {
    reached += 1;
    request.resume();
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  return { port: (server.address() as AddressInfo).port, reached: () => reached };
}

/** A gateway whose allowlist holds the service, and what is asked of it. */
async function prepared(attempt: Attempt) {
  const resolved: string[] = [];
  const resolve = (host: string) => {
    resolved.push(host);
    return Promise.resolve(['127.0.0.1']);
  };
  const world = await start({ config: CONFIG, resolver: { resolve } });
  const { port, reached } = await service();
  const operator = await world.operator();
  await operator.request('allow.add', { host: '127.0.0.1', port, allow_private: true });
  const payload = (host: string, more: object) => ({
    service: 'label',
    endpoint: `http://${host}:${port}/`,
    method: 'GET',
    ...more,
  });
  if (attempt.usedUp)
    expect(await operator.request('service.api_call', payload('127.0.0.1', {}))).toMatchObject({
      status: 'success',
    });
  return { world, resolved, reached, payload };
}

describe.each(ATTEMPTS)('a request that fails at the stage %s and at every later one', (...row) => {
  const [stage, status, code, attempt] = row;
  let answer: Record<string, unknown> | undefined;
  let added: LedgerRow[];
  let effects: number;
  let resolved: string[];

  beforeAll(async () => {
    const { world, reached, payload, ...made } = await prepared(attempt);
    ({ resolved } = made);
    const before = [world.rows().length, reached()] as const;
    const { ask } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const asked = payload(attempt.host, { method: attempt.method, body: attempt.body });
    answer = await ask({ action: 'service.api_call', payload: asked }, (request) => {
      if (attempt.forged) request['signature'] = FORGED;
    });
    added = world.rows().slice(before[0]);
    effects = reached() - before[1];
  });

  it('is answered by that stage', () => {
    expect(answer).toMatchObject({ status, error: { code } });
  });

  it('is not executed, and nothing is resolved for it', () => {
    expect(effects).toBe(0);
    expect(resolved).toEqual([]);
  });

  it('is recorded once, as refused, with stage and reason', () => {
    const refused = added.filter((entry) => entry.type !== 'anomaly');
    expect(refused.map((entry) => [entry.type, entry.data['stage']])).toEqual([['action_rejected', stage]]);
    expect(refused[0]?.data['error']).toMatchObject({ code });
    expect(answer?.['auditRef']).toBe(`${refused[0]?.seq}.${refused[0]?.leaf}`);
  });

  it('leaves no trace of a later stage', () => {
    expect(added.some((entry) => entry.type === 'anomaly')).toBe(stage === 'anomaly');
  });
});

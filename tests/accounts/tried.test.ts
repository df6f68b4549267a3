import { request } from 'node:https';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { start, type TestGateway } from '../gateway/harness.js';
import { fhir, TOKEN } from '../records/kit/fhir.js';
import { basic, newAuthority, serve, type Authority } from '../records/kit/https.js';
import { HAS_RADICALE, PASSWORD, radicale, USER } from '../records/kit/radicale.js';
import { simplefin } from '../records/kit/simplefin.js';
import { codeOf } from '../records/kit/world.js';

/** One account, and how its own action is asked for. */
interface Tried {
  readonly kind: 'calendar' | 'finance' | 'health' | 'api';
  readonly host: string;
  readonly port: number;
  readonly settings: (host: string) => JsonObject;
  readonly secret: (host: string) => string;
  readonly wrong: (host: string) => string;
  readonly action: readonly [string, (host: string) => JsonObject];
}

/** The real servers, each with an account of its own. */
async function accounts(authority: Authority): Promise<readonly Tried[]> {
  const [bank, health, api, calendar] = await Promise.all([
    simplefin(authority),
    fhir(authority),
    serve(authority, (_, response) => void response.end('hello')),
    HAS_RADICALE ? radicale(authority) : undefined,
  ]);
  const accessUrl = (password: string) => (host: string) =>
    bank.accessUrl.replace('bank.test', host).replace(/:[^:]*@/, `:${encodeURIComponent(password)}@`);
  const range = { startDate: '2026-05-01T00:00:00Z', endDate: '2026-06-01T00:00:00Z' };
  if (calendar !== undefined) await makeCalendar(authority, calendar.port);
  return [
    ...(calendar === undefined
      ? []
      : [
          {
            kind: 'calendar' as const,
            host: 'cal.test',
            port: calendar.port,
            settings: (host: string) => ({ url: `https://${host}:${calendar.port}/`, user: USER }),
            secret: () => PASSWORD,
            wrong: () => 'another password',
            action: ['calendar.fetch', () => range] as const,
          },
        ]),
    {
      kind: 'finance',
      host: 'bank.test',
      port: bank.port,
      settings: (host) => ({ origin: `https://${host}:${bank.port}` }),
      secret: accessUrl('pass 456/%word'),
      wrong: accessUrl('another password'),
      action: ['finance.fetch_transactions', () => ({})],
    },
    {
      kind: 'health',
      host: 'fhir.test',
      port: health.port,
      settings: (host) => ({ base: `https://${host}:${health.port}/r4`, patient: 'example' }),
      secret: () => TOKEN,
      wrong: () => 'another-token-1',
      action: ['health.fetch', () => ({ dataType: 'heart_rate' })],
    },
    {
      kind: 'api',
      host: 'api.test',
      port: api.port,
      settings: (host) => ({ origin: `https://${host}:${api.port}` }),
      secret: () => 'a-bearer-token-1',
      wrong: () => 'a-bearer-token-2',
      action: [
        'service.api_call',
        (host) => ({ service: 'api', method: 'GET', endpoint: `https://${host}:${api.port}/` }),
      ],
    },
  ];
}

function makeCalendar({ caFile }: Authority, port: number): Promise<void> {
  const path = `/${encodeURIComponent(USER)}/main/`;
  const to = { host: '127.0.0.1', port, method: 'MKCALENDAR', path, servername: 'cal.test' };
  return new Promise((resolve, reject) => {
    request({ ...to, ca: readFileSync(caFile), headers: { authorization: basic(USER, PASSWORD) } })
      .once('response', (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end();
  });
}

interface Place {
  readonly world: TestGateway;
  readonly operator: GatewayClient;
  readonly add: (one: Tried, host: string, secret: string) => Promise<void>;
  readonly allow: (one: Tried, host: string) => Promise<void>;
}

/** A gateway that knows the test's authority by its configuration, or does not know it. */
async function gateway(extraCaFile?: string): Promise<Place> {
  const own = extraCaFile === undefined ? '' : `extra_ca_file = ${JSON.stringify(extraCaFile)}\n`;
  const world = await start({
    config: `[anomaly]\nburst = "flag"\n[egress]\n${own}`,
    resolver: { resolve: () => Promise.resolve(['127.0.0.1']) },
  });
  const operator = await world.operator();
  return {
    world,
    operator,
    add: async ({ kind, settings }, host, secret) => {
      const added = await operator.request('account.add', {
        name: kind,
        kind,
        settings: settings(host),
        secret,
        salt: 's'.repeat(24),
        replace: true,
      });
      expect([kind, codeOf(added)]).toEqual([kind, 'success']);
    },
    allow: async ({ kind, port }, host) => {
      // An entry for what is spoken is enough, and one for something else covers nothing.
      const protocol = kind === 'calendar' ? 'caldav' : 'https';
      await operator.request('allow.add', { host, port, protocol, allow_private: true });
    },
  };
}

it('an account is tried as its kind signs in: only where it is listed, over TLS that verifies, and a wrong password is told apart', async () => {
  const authority = newAuthority();
  const [tried, known, unknown] = [
    await accounts(authority),
    await gateway(authority.caFile),
    await gateway(),
  ];
  expect(tried.map(({ kind }) => kind)).toContain('finance');
  for (const one of tried) {
    const { kind, host, port } = one;
    const [action, payload] = one.action;
    /** What trying it gives, and what its own action does. */
    const both = async ({ operator }: Place, at: string): Promise<readonly string[]> => {
      const test = await operator.request('account.test', { name: kind });
      const act = await operator.request(action, payload(at));
      return [codeOf(test), codeOf(act)];
    };
    // Nobody signs in to an API by itself: its account says so, and its requests are tried.
    const isApi = kind === 'api';
    const of = (code: string): readonly string[] => [isApi ? 'adapter_unavailable' : code, code];

    await known.add(one, host, one.secret(host));
    expect([kind, await both(known, host)]).toEqual([kind, of('not_allowed')]);
    const other = kind === 'calendar' ? 'imaps' : 'caldav';
    await known.operator.request('allow.add', { host, port, protocol: other, allow_private: true });
    expect([kind, await both(known, host)]).toEqual([kind, of('not_allowed')]);
    await known.allow(one, host);
    expect([kind, await both(known, host)]).toEqual([kind, of('success')]);
    await known.add(one, host, one.wrong(host));
    expect([kind, await both(known, host)]).toEqual([kind, of(isApi ? 'success' : 'credential_refused')]);
    // A name that the certificate is not for.
    await known.allow(one, 'wrong.test');
    await known.add(one, 'wrong.test', one.secret('wrong.test'));
    expect([kind, await both(known, 'wrong.test')]).toEqual([kind, of('adapter_failed')]);
    // An authority that nobody named.
    await unknown.allow(one, host);
    await unknown.add(one, host, one.secret(host));
    expect([kind, await both(unknown, host)]).toEqual([kind, of('adapter_failed')]);
    await known.add(one, host, one.secret(host));
    expect([kind, await both(known, host)]).toEqual([kind, of('success')]);
  }
  const failed = known.world
    .rows('action_result')
    .filter(({ tool, code }) => tool === 'account.test' && code === 'error')
    .map(({ data }) => data['error']);
  for (const { kind, host, port } of tried.filter((one) => one.kind !== 'api')) {
    expect([kind, failed]).toEqual([
      kind,
      expect.arrayContaining([
        {
          code: 'credential_refused',
          message: expect.stringContaining(`\`https://${host}:${port}\` refused`),
        },
        {
          code: 'adapter_failed',
          message: `no secure connection to \`https://wrong.test:${port}\` (ERR_TLS_CERT_ALTNAME_INVALID)`,
        },
      ]),
    ]);
  }
  const told = JSON.stringify([known.world.rows(), unknown.world.rows()]);
  for (const secret of [PASSWORD, TOKEN, 'a-bearer-token-1', 'another password', 'another-token-1'])
    expect(told).not.toContain(secret);
}, 180_000);

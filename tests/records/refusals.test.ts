import { readCredential } from '@subluminal/ipc';
import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { signedPeer } from '../gateway/raw-peer.js';
import { newAuthority, sendJson, serve } from './kit/https.js';
import { codeOf, records } from './kit/world.js';

const EVENT = { title: 'x', startTime: '2026-01-02T10:00:00Z', endTime: '2026-01-02T11:00:00Z' };

/** Every action, with a payload that fits and one that does not. */
function actions(port: number): readonly (readonly [string, JsonObject, JsonObject])[] {
  return [
    [
      'calendar.fetch',
      { startDate: '2026-01-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' },
      { startDate: '2026-01-01T00:00:00Z', endDate: '2025-01-01T00:00:00Z' },
    ],
    ['calendar.create', EVENT, { ...EVENT, endTime: '2026-01-01T10:00:00Z' }],
    ['calendar.update', { ...EVENT, eventId: 'a.ics' }, EVENT],
    ['finance.fetch_transactions', {}, { limit: 0 }],
    ['health.fetch', { dataType: 'steps' }, { dataType: 'steps; drop' }],
    [
      'service.api_call',
      { service: 'x', endpoint: `https://api.test:${port}/v1/a`, method: 'GET' },
      {
        service: 'x',
        endpoint: `https://api.test:${port}/v1/a`,
        method: 'GET',
        headers: { Authorization: 'mine' },
      },
    ],
  ];
}

it('each action is refused without its entry, with a bad payload, a bad signature and over its limit, and nothing is sent', async () => {
  const authority = newAuthority();
  const server = await serve(authority, (_seen, response) => sendJson(response, {}));
  const { port } = server;
  const limits = actions(port).map(([action]) => `"${action}" = 1\n`);
  const { world, operator, allow, account } = await records(
    authority,
    `[rate_limits.actions]\n${limits.join('')}`,
  );
  const { client } = await world.run();
  const outcomes: Record<string, string[]> = {};
  const note = (action: string, code: string) => void (outcomes[action] ??= []).push(code);

  for (const [action, payload] of actions(port)) {
    if (action !== 'service.api_call') note(action, codeOf(await client.request(action, payload)));
  }
  const secret = 'a-secret-of-the-account';
  await account('calendar', 'c', { url: `https://cal.test:${port}/`, user: 'ada' }, secret);
  await account(
    'finance',
    'f',
    { origin: `https://bank.test:${port}` },
    `https://user:${secret}@bank.test:${port}/x`,
  );
  await account('health', 'h', { base: `https://fhir.test:${port}/r4` }, secret);
  await account('api', 'a', { origin: `https://api.test:${port}`, prefix: '/v1' }, secret);
  for (const [action, payload] of actions(port)) note(action, codeOf(await client.request(action, payload)));
  expect(
    world
      .rows('action_rejected')
      .filter(({ data }) => data['stage'] === 'allowlist')
      .map(({ data }) => data['destination']),
  ).toEqual(
    expect.arrayContaining(['cal', 'bank', 'fhir', 'api'].map((name) => `https://${name}.test:${port}`)),
  );

  for (const name of ['cal', 'bank', 'fhir', 'api']) await allow(`${name}.test`, port);
  for (const [action, , bad] of actions(port)) note(action, codeOf(await client.request(action, bad)));
  for (const [action, payload] of actions(port)) {
    const { ask } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const answer = await ask({ action, payload }, (request) =>
      Object.assign(request, { signature: 'A'.repeat(43) }),
    );
    note(action, String((answer?.['error'] as { code?: unknown } | undefined)?.code));
  }
  expect(server.seen).toEqual([]);

  for (const [action, payload] of actions(port)) {
    await client.request(action, payload);
    const before = server.seen.length;
    note(action, codeOf(await operator.request(action, payload)));
    expect(server.seen).toHaveLength(before);
  }
  const common = ['account_unknown', 'not_allowed', 'invalid_request', 'bad_signature', 'rate_limited'];
  expect(outcomes).toEqual(
    Object.fromEntries(
      actions(port).map(([action]) => [action, action === 'service.api_call' ? common.slice(1) : common]),
    ),
  );
  expect(JSON.stringify(world.rows())).not.toContain(secret);
});

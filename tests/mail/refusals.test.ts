import { readCredential } from '@subluminal/ipc';
import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { after } from '../gateway/harness.js';
import { signedPeer } from '../gateway/raw-peer.js';
import { Authority } from './kit/authority.js';
import { HostileServer } from './kit/hostile.js';
import { allow, codeOf, mailAccount, mailWorld, PASSWORD, QUIET } from './kit/world.js';

const LETTER = { to: ['bob@else.test'], subject: 'x', body: 'y' };

/** Every action, with a payload that fits and one that does not. */
const ACTIONS: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['email.fetch', {}, { limit: 0 }],
  ['email.send', LETTER, { ...LETTER, subject: 'x\r\nBcc: eve@evil.test' }],
  ['email.draft', LETTER, { ...LETTER, to: [] }],
];

it('each mail action is refused without its entry, with a bad payload, a bad signature and over its limit, and nothing is dialled', async () => {
  const authority = new Authority();
  after(() => authority.remove());
  const server = new HostileServer(authority);
  after(() => server.close());
  const port = await server.listen();
  server.script = (peer) => void peer.socket.destroy();
  const limits = ACTIONS.map(([action]) => `"${action}" = 1\n`).join('');
  const { world, operator, run } = await mailWorld(authority, `${QUIET}[rate_limits.actions]\n${limits}`);
  const outcomes: Record<string, string[]> = {};
  const note = (action: string, code: string) => void (outcomes[action] ??= []).push(code);

  for (const [action, payload] of ACTIONS) note(action, codeOf(await run.client.request(action, payload)));
  const at = { port, security: 'tls' };
  await operator.request('account.add', mailAccount({ imap: at, smtp: at }));
  for (const [action, payload] of ACTIONS) note(action, codeOf(await run.client.request(action, payload)));
  expect(
    world
      .rows('action_rejected')
      .filter(({ code, data }) => code === 'rejected' && data['destination'] !== undefined)
      .map(({ tool, data }) => [tool, data['destination']]),
  ).toEqual([
    ['email.fetch', `imaps://mail.test:${port}`],
    ['email.send', `smtps://mail.test:${port}`],
    ['email.draft', `imaps://mail.test:${port}`],
  ]);

  await allow(operator, port);
  for (const [action, , bad] of ACTIONS) note(action, codeOf(await run.client.request(action, bad)));
  for (const [action, payload] of ACTIONS) {
    const { ask } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const answer = await ask({ action, payload }, (request) =>
      Object.assign(request, { signature: 'A'.repeat(43) }),
    );
    note(action, String((answer?.['error'] as { code?: unknown } | undefined)?.code));
  }
  expect(server.connections).toBe(0);

  for (const [index, [action, payload]] of ACTIONS.entries()) {
    expect(codeOf(await run.client.request(action, payload))).toBe('adapter_failed');
    note(action, codeOf(await operator.request(action, payload)));
    expect(server.connections).toBe(index + 1);
  }
  const common = ['account_unknown', 'not_allowed', 'invalid_request', 'bad_signature', 'rate_limited'];
  expect(outcomes).toEqual(Object.fromEntries(ACTIONS.map(([action]) => [action, common])));
  expect(JSON.stringify(world.rows())).not.toContain(PASSWORD);
});

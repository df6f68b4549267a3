import { SublError } from '@subluminal/core-types';
import { GatewaySession } from '@subluminal/agent';
import { expect, test } from 'vitest';
import { hookGateway } from './gateway.js';

test.each(['gateway_unreachable', 'handshake_refused'] as const)(
  'no server is known to be routed where the gateway answers with `%s`',
  async (code) => {
    const session = new GatewaySession({
      connect: () => Promise.reject(new SublError(code, 'no')),
      introduce: () => Promise.resolve(),
      monotonic: () => 0,
    });
    const core = { decide: () => Promise.reject(new Error('not asked')), end: () => undefined };
    expect(await hookGateway(session, core).routes()).toEqual([]);
  },
);

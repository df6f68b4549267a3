import { SublError, type ErrorCode } from '@subluminal/core-types';
import { expect, test } from 'vitest';
import { CoreClient } from './core-client.js';
import { GatewaySession } from './gateway-session.js';

/** A client of a gateway that gives no answer, for that reason. */
function client(code: ErrorCode): CoreClient {
  const session = new GatewaySession({
    connect: () => Promise.reject(new SublError(code, 'no answer')),
    introduce: () => Promise.resolve(),
    monotonic: () => 0,
  });
  return new CoreClient({
    session,
    runId: 'r',
    shimId: 's',
    serverName: 'files',
    command: ['files'],
    nextId: () => 'id',
    away: { patience: undefined, decide: () => Promise.resolve(undefined), end: () => false },
    log: () => undefined,
  });
}

test.each([
  ['gateway_unreachable', 'GATEWAY_UNREACHABLE'],
  ['timed_out', 'TIMED_OUT'],
] as const)('a call that a gateway does not answer (%s) is refused as %s', async (code, reason) => {
  const call = {
    server_name: 'files',
    tool_name: 'read',
    args: {},
    bytes_in: 2,
    transport: 'mcp_stdio',
    call_context: undefined,
  } as const;
  expect(await client(code).decide(call)).toMatchObject({
    decision: 'BLOCK',
    details: { reason_code: reason },
  });
});

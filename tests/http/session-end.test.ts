import type { Ledger } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import {
  ask,
  type Answer,
  httpWorld,
  type HttpWorld,
  resultOf,
  sayJson,
  scripted,
  type Scripted,
} from './world.js';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };
const INIT = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
const SESSION = { 'mcp-session-id': 'of-this-test' };

/** A call of a session, of which the beginning is about to be recorded, and what lets that be done. */
async function deciding(): Promise<{
  readonly world: HttpWorld;
  readonly server: Scripted;
  readonly decide: () => void;
  readonly answer: Promise<Answer>;
}> {
  let begin: () => void = () => undefined;
  let decide: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const decided = new Promise<void>((resolve) => (decide = resolve));
  const held = async (ledger: Ledger, args: Parameters<Ledger['append']>): Promise<unknown> => {
    if (JSON.stringify(args).includes('tool_call_start')) {
      begin();
      await decided;
    }
    return ledger.append(...args);
  };
  const world = await httpWorld({
    wrapLedger: (ledger) =>
      new Proxy(ledger, {
        get: (target, name) => {
          if (name === 'append') return (...args: Parameters<Ledger['append']>) => held(target, args);
          const found: unknown = Reflect.get(target, name, target);
          return typeof found === 'function' ? (found.bind(target) as unknown) : found;
        },
      }),
  });
  const server = await scripted((got, response) => {
    if (got.body === '') response.end();
    else sayJson(response, resultOf(got, {}), SESSION);
  });
  await world.post(server.url, INIT);
  const answer = world.post(server.url, CALL, { headers: SESSION });
  await begun;
  return { world, server, decide, answer };
}

it('a call that is decided when its session has ended goes nowhere, and the record has its end', async () => {
  const { world, server, decide, answer } = await deciding();
  const headers = { ...world.headers(server.url), ...SESSION };
  expect((await ask(world.url('srv'), { method: 'DELETE', headers })).status).toBe(200);
  decide();
  expect((await answer).status).toBe(404);
  await expect.poll(() => world.gateway.rows('tool_call_end').map(({ code }) => code)).toEqual(['CANCELLED']);
  expect(server.got.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
});

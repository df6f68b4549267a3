import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { httpWorld, type HttpWorld } from '../http/world.js';
import { describeWith } from '../real/client.js';
import { PINS } from '../real/fetch.mjs';
import { startListening, Suite, type Listening, type Outcomes } from './suite.js';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const node = process.execPath;
/** Those that sign in with OAuth have no place here: what signs in is not routed. */
const CLIENT_SCENARIOS = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];

describeWith(PINS.conformance, 'finds the same over HTTP', ({ program }) => {
  const suite = new Suite(program);
  let world: HttpWorld;
  beforeEach(async () => {
    world = await httpWorld({ policy: bundle([]) });
    const operator = await world.gateway.operator();
    await operator.request('allow.add', { host: 'localhost', allow_private: true });
  }, 180_000);

  it('of a server with and without the gateway, and nothing that fails', async () => {
    const server = await startListening([node, here('server/http.mjs')]);
    try {
      const direct = await through(server.url, {});
      expect(Object.keys(direct)).toHaveLength(32);
      expect(JSON.stringify(direct)).not.toContain('FAILURE');
      expect(await through(world.url('conformance').href, world.headers(server.url))).toEqual(direct);
    } finally {
      await server.stop();
    }
  });

  it('of a client with and without the gateway', async () => {
    for (const scenario of CLIENT_SCENARIOS) {
      // Each scenario has tools of its own: under one name its server would have changed, and its tools be
      // held.
      const gateway = { url: world.url(scenario).href, headers: world.headers('<server>') };
      const command = `${node} ${here('client.mjs')}`;
      const direct = await suite.client(scenario, command, {});
      const gated = await suite.client(scenario, command, { GATEWAY: JSON.stringify(gateway) });
      expect(JSON.stringify(direct)).not.toContain('FAILURE');
      expect(gated, scenario).toEqual(direct);
    }
  });

  /** What the suite finds at a relay that passes on to `target`. */
  async function through(target: string, headers: Readonly<Record<string, string>>): Promise<Outcomes> {
    const relay: Listening = await startListening([
      node,
      here('server/relay.mjs'),
      target,
      JSON.stringify(headers),
    ]);
    try {
      return await suite.server(relay.url);
    } finally {
      await relay.stop();
    }
  }
});

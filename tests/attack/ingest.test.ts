import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { start } from '../gateway/harness.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const RUN_START = {
  agent_id: 'elsewhere',
  attested: false,
  client: 'custom',
  env: 'dev',
  policy: { policy_hash: '0'.repeat(64), policy_id: 'some', policy_version: '1.0.0' },
  principal: 'somebody',
  run: { mode: 'observe', started_at: '2026-11-23T20:36:20.962Z' },
  run_id: 'elsewhere-1',
  source: { host_id: 'h', proc_id: 'p', shim_id: 's' },
  ts: '2026-11-23T20:36:20.962Z',
  type: 'run_start',
  v: '0.1.0',
  workload: {},
};

function deep(levels: number): JsonObject {
  let at: JsonObject = { leaves: Array.from({ length: 20_000 }, () => 'some') };
  for (let level = 0; level < levels; level += 1) at = { [`n${level}`]: at };
  return at;
}

// Each holds one text that looks like a credential: only then every value is looked at by itself.
it.each<[string, JsonObject]>([
  ['one name of 100,000 characters above 5,000 values', { ['n'.repeat(100_000)]: Array(5000).fill('some') }],
  ['forty names above each of 20,000 values', deep(40)],
  ['30,000 names', Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`n${at}`, '']))],
])('an event of another place with %s does not hold the gateway', async (_, meta) => {
  const world = await start();
  const operator = await world.operator();
  const answer = await operator.request('run.ingest', {
    source: { kind: 'events', name: 'elsewhere' },
    run_id: RUN_START.run_id,
    verified: 'none',
    by: 'tester',
    first: 0,
    events: [{ ...RUN_START, more: { ...meta, key: TOKEN } }],
  });
  expect(JSON.stringify(answer)).toContain('it holds what looks like a credential');
});

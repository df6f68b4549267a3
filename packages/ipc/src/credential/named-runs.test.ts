import { describe, expect, test } from 'vitest';
import { httpRunToken, proxyRunToken, type Credential } from '@subluminal/core-types';
import { processIdentity } from '../process/identity.js';
import type { ProcessTable } from '../process/table.js';
import { namedRuns } from './named-runs.js';

const RUN = '01ARYZ6S410000000000000000';
const OTHER = '01ARYZ6S410000000000000001';
const key: Credential = { v: 1, kind: 'run', id: RUN, epoch: 1, ledger_id: 'ledger', key: 'A'.repeat(43) };
const proxy = `http://issues:${proxyRunToken(key, 'issues')}@127.0.0.1:4018`;

const SESSION = 77;
const nobody = (environments: ReadonlyMap<number, readonly string[]> = new Map()): ProcessTable => ({
  facts: (pid) => {
    const identity = processIdentity(pid);
    return identity === undefined
      ? undefined
      : { identity, parent: 1, group: 0, session: SESSION, name: 'x' };
  },
  environment: (pid) => environments.get(pid) ?? [],
  controlGroup: () => undefined,
  pids: () => [],
});

describe('the environment names a run', () => {
  test.each([
    [{ SUB_RUN_ID: RUN }],
    [{ SUB_HTTP_TOKEN: httpRunToken(key) }],
    [{ SUB_UPSTREAM_TOKEN: `${RUN}_${'x'.repeat(32)}` }],
    [{ HTTPS_PROXY: proxy }],
    [{ http_proxy: proxy }],
  ])('by %j', (env) => {
    expect(namedRuns(env, nobody())).toEqual([RUN]);
  });

  test('by that of its parent, and of the leader of its session', () => {
    const found = namedRuns(
      {},
      nobody(
        new Map([
          [process.ppid, ['PATH=/bin', `SUB_RUN_ID=${RUN}`, '']],
          [SESSION, [`HTTP_PROXY=${proxy.replace(RUN, OTHER)}`]],
        ]),
      ),
    );
    expect(found).toEqual([RUN, OTHER]);
  });
});

test.each([
  [{}],
  [{ SUB_RUN_ID: 'my-build' }],
  [{ SUB_HTTP_TOKEN: 'sube_x' }],
  [{ HTTPS_PROXY: 'http://user:secret@proxy.example:3128' }],
  [{ HTTPS_PROXY: 'no url' }],
  [{ NO_PROXY: proxy }],
  [{ SUB_AGENT_ID: RUN }],
])('the environment %j names none', (env) => {
  expect(namedRuns(env, nobody())).toEqual([]);
});

test('no more than sixteen runs are named', () => {
  const names = Array.from({ length: 40 }, (_, at) => `01ARYZ6S4100000000000000${String(at + 10)}`);
  const parent = new Map([[process.ppid, names.map((id) => `SUB_RUN_ID=${id}`)]]);
  expect(namedRuns({}, nobody(parent))).toHaveLength(16);
});

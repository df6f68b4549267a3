import type { JsonObject } from '@subluminal/core-types';
import type { EntryType, LedgerReader, LedgerRow } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { painter } from '../output/style.js';
import { LiveLines } from './live-lines.js';

const policy = { policy_id: 'team', policy_version: '2' };
const breaker = { rule_id: 'loops', reason_code: 'BREAKER_REPEATS' };

it.each<[EntryType, string | null, JsonObject, string]>([
  ['policy_loaded', null, { policy }, 'policy team 2 loaded'],
  ['policy_loaded', 'R', { policy, source: 'home' }, 'policy team 2 decides from here on'],
  ['policy_loaded', 'R', { policy }, 'policy team 2 allows a call that another one had allowed'],
  ['breaker_trip', 'R', { breaker }, 'breaker loops tripped (BREAKER_REPEATS)'],
  [
    'hint_promoted',
    'R',
    { rule_id: 'r', call: { call_id: 'c-1' } },
    'rule r waived in this run for call c-1',
  ],
  [
    'settings_loaded',
    null,
    {
      changes: [{ key: 'approvals.notify' }, { key: 'egress.mode', from: 'enforce', to: 'observe' }],
      loosened: true,
      waiting: ['http.port'],
    },
    'config.toml loaded: approvals.notify, egress.mode enforce → observe (looser); at a restart: http.port',
  ],
  [
    'settings_loaded',
    null,
    { before: 'unknown', changes: [], loosened: true, waiting: [] },
    'config.toml loaded: the settings of before are not known (looser)',
  ],
  [
    'plane.boundary',
    'R',
    {
      of: { client: 'claude_hook', session: 's-1', agent: 'helper', event: 7 },
      window: 1,
      why: ['module', 'failing'],
      tier: 'ordinary',
    },
    'boundary in subagent helper of session s-1: the work has moved to another module; more calls fail than not',
  ],
  [
    'plane.boundary',
    'R',
    {
      of: { client: 'run', session: 'R', agent: '', event: 7 },
      window: 1,
      why: ['kind'],
      from: 'explore',
      to: 'change',
      tier: 'low',
    },
    'boundary in the run: the kind of work has changed, from looking around to changing',
  ],
  [
    'plane.steer',
    'R',
    {
      of: { client: 'claude_hook', session: 's-1', agent: '', event: 7 },
      window: 1,
      looks: 'ahead',
      text: 'It took 3 calls in 1 minute',
    },
    'told the agent: It took 3 calls in 1 minute',
  ],
])('a line tells of a %s of %s', (type, runId, data, text) => {
  const place = { seq: 1, leaf: '', ts: 0, code: null, tool: null, ref: null, runIndex: 1, requestId: null };
  const row: LedgerRow = { ...place, type, runId, data, blobs: {} };
  // None of these asks the record for more.
  const lines = new LiveLines({} as LedgerReader, { paint: painter(false), width: 200 }, () => 0);
  expect(lines.push(row)).toEqual([expect.stringMatching(new RegExp(`${text.replaceAll(/[()]/g, '.')}$`))]);
});

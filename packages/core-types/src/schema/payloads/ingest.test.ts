import { expect, it } from 'vitest';
import { RunIngestPayload } from './ingest.js';

it.each([
  ['01M8QQZC3M0000000000000000', true],
  ['0190c8f2-7d1e-7cc0-98d1-0a2b3c4d5e6f', true],
  ['ci:job-7_x.1', true],
  ['../../x', false],
  ['a/b', false],
  ['a\\b', false],
  ['a..b', false],
  ['.', false],
  ['-rf', false],
  ['two words', false],
  ['x\n', false],
  ['', false],
  ['x'.repeat(257), false],
])('a run of another place may be called %j: %s', (run_id, isTaken) => {
  const payload = {
    source: { kind: 'events', name: 'nightly' },
    run_id,
    verified: 'none',
    by: 'ada',
    first: 0,
    events: [],
  };
  expect(RunIngestPayload.safeParse(payload).success).toBe(isTaken);
});

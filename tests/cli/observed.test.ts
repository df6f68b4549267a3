import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHome, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const RUN = '01M8AAAAAAAAAAAAAAAAQQZC3M';
const TS = Date.now() - 60_000;

let at: ReadHome;
beforeAll(async () => {
  at = await readHome();
  await at.ledger.append({ entries: [recordedRun(RUN, TS)] });
  await recordCall(at.ledger, {
    runId: RUN,
    callId: 'call-observed-0001',
    ts: TS,
    tool: ['files', 'remove'],
    args: { path: '/a/notes.md' },
    ruleId: 'no-removing',
    reasonCode: 'DENYLIST_MATCH',
    summary: 'nothing is removed',
    decision: { shadow: 'BLOCK' },
    status: 'OK',
  });
  const summary = { calls_total: 1, calls_blocked: 0, errors_total: 0, duration_ms: 5 };
  const end = {
    type: 'run_end',
    ts: TS + 5,
    runId: RUN,
    code: 'SUCCEEDED',
    data: { run: { summary } },
  } as const;
  await at.ledger.append({ entries: [end] });
});
afterAll(() => at.remove());

it('a call that a policy only observed passes, and says what would have refused it', async () => {
  const would = 'observe: would be refused, rule no-removing: nothing is removed';
  const { stdout } = await at.sub(['tail', '--lines', '5', '--run', RUN]);
  expect(stdout).toMatch(/ ok +files\.remove/);
  expect(stdout).toContain(would);
  expect((await at.sub(['query', '--tool', 'remove'], 160)).stdout).toContain(would);
});

it('where nothing was refused, the way to what would have been is told', async () => {
  expect((await at.sub(['query', '--refused'])).stdout).toBe(
    'nothing in the ledger fits; `sub report` tells what a policy that observes would have refused\n',
  );
  expect((await at.sub(['why'])).stderr).toContain('help: `sub query` lists all calls, `sub report`');
});

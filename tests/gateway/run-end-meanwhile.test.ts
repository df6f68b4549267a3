import { isSublError } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { between, Gate } from './between.js';
import { start, toolCall, toolEnd } from './harness.js';

it('a run that ends while the end of a call waits for the disk gets its own end nevertheless', async () => {
  const gate = new Gate();
  let held = false;
  const world = await start({
    runEndMs: 50,
    wrapLedger: between(async (group, next) => {
      if (held || group.entries[0]?.type !== 'tool_call_end') return await next();
      held = true;
      // It is on the disk, and the gateway does not know yet.
      const result = await next();
      await gate.pass();
      return result;
    }),
  });
  const run = await world.run();
  const [ending, open] = [toolCall(), toolCall()];
  await run.client.request('tool.call.begin', ending);
  await run.client.request('tool.call.begin', open);
  // The run's end may close the connection before the answer leaves; any other failure is one.
  const ended = run.client.request('tool.call.end', toolEnd(ending.call_id)).then(
    () => 'answered',
    (error: unknown) => (isSublError(error) ? error.code : String(error)),
  );
  await gate.reached;
  const over = (await world.operator()).request('run.end', { run_id: run.id, status: 'CANCELLED' });
  setTimeout(() => gate.open(), 200);
  expect((await over).status).toBe('success');
  expect(['answered', 'gateway_unreachable']).toContain(await ended);
  const rows = world.rows().filter((row) => row.runId === run.id);
  expect(rows.slice(-3).map((row) => [row.type, row.code])).toEqual([
    ['tool_call_end', 'OK'],
    ['tool_call_end', 'ERROR'],
    ['run_end', 'CANCELLED'],
  ]);
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
});

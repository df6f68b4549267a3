import { expect, it } from 'vitest';
import { runSub } from '../harness/resident.js';
import { client, event, hookWorld, use } from './world.js';

it('a session is told of in every run that names it, and one of several is to be named', async () => {
  const world = await hookWorld();
  const explain = (...session: string[]) =>
    runSub(['hooks', 'explain', ...session], {
      env: { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home },
    });
  const [one, other] = [client(world), client(world)];
  await one.post({ body: event('SessionStart', { source: 'startup' }) });
  await one.post({ body: use('PreToolUse', 't1', 'ls') });
  await one.post({ body: event('SessionStart', { source: 'startup', session_id: 's-10' }) });
  await other.post({ body: event('SessionStart', { source: 'startup' }) });
  await expect.poll(() => world.gateway.rows('hook_event')).toHaveLength(3);
  const [first, second] = world.gateway.rows('run_start').map(({ runId }) => runId);
  const { code, stdout } = await explain('s-1');
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.startsWith('session '))).toEqual([
    `session s-1 of run ${second}`,
    `session s-1 of run ${first}`,
  ]);
  expect(stdout).toMatch(/OK|running +Bash ls/);
  expect(await explain('s-')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/2 sessions begin with `s-`[^]*s-1/),
  });
  expect(await explain('t')).toMatchObject({ code: 1 });
  const of = async (...named: string[]): Promise<string[]> =>
    (await explain(...named)).stdout.split('\n').filter((line) => line.startsWith('session '));
  expect(await of(String(first))).toEqual([`session s-10 of run ${first}`, `session s-1 of run ${first}`]);
  expect(await of(String(first).slice(-6))).toEqual(await of(String(first)));
  expect(await of()).toEqual([`session s-1 of run ${second}`]);
});

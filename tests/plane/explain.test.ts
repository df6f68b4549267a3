import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { runSub } from '../harness/resident.js';
import { type Client, client, event, type HookWorld, hookWorld } from '../hooks/world.js';

/** A call of Claude Code from its beginning to its end. */
async function call(
  asking: Client,
  id: string,
  tool: string,
  input: JsonObject,
  more: JsonObject = {},
): Promise<void> {
  const members = { tool_use_id: id, tool_name: tool, tool_input: input, ...more };
  await asking.post({ body: event('PreToolUse', members) });
  await asking.post({ body: event('PostToolUse', { ...members, tool_response: { ok: true } }) });
}

/** A session that looks around and then edits. */
async function session(world: HookWorld): Promise<void> {
  const asking = client(world);
  await asking.post({ body: event('SessionStart', { source: 'startup' }) });
  await asking.post({ body: event('UserPromptSubmit', { prompt: 'mend it' }) });
  for (const at of [1, 2, 3]) await call(asking, `r${at}`, 'Read', { file_path: `/srv/app/src/f${at}.ts` });
  await call(asking, 's1', 'Grep', { pattern: 'x' }, { agent_id: 'helper-1', agent_type: 'Explore' });
  for (const at of [1, 2])
    await call(asking, `e${at}`, 'Edit', { file_path: '/srv/app/src/f1.ts', old_string: 'a' });
  await call(asking, 't1', 'Bash', { command: 'npm test' });
  await expect.poll(() => world.gateway.rows('tool_call_end').length).toBeGreaterThanOrEqual(7);
}

it('`sub plane explain` tells where the work of a session changed, by what its record has', async () => {
  const world = await hookWorld();
  await session(world);
  const explain = (...args: string[]) =>
    runSub(['plane', 'explain', ...args], {
      env: { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home },
    });
  const { code, stdout } = await explain('s-1');
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
  expect(lines[0]).toMatch(/^session s-1 of run /);
  // Claude Code shows all that signals look at.
  expect(stdout).not.toContain('not looked at');
  expect(lines.filter((line) => line.startsWith('boundary'))).toEqual([
    'boundary: the kind of work has changed, from looking around to changing',
  ]);
  expect(stdout).toMatch(/window 1 over: 4 calls in \d+(?:ms|s), at a boundary/);
  expect(stdout).toMatch(/checkpoint: tests, by call \d+/);

  const told = (await explain('s-1', '--json')).stdout.trim().split('\n');
  const entries = told.map((line): JsonObject => JSON.parse(line));
  expect(entries.filter(({ type }) => type === 'plane.boundary')).toEqual([
    {
      session: 's-1',
      run_id: expect.stringMatching(/^\w{26}$/),
      agent: '',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      type: 'plane.boundary',
      window: 1,
      why: ['kind'],
      from: 'explore',
      to: 'change',
      tier: 'ordinary',
    },
  ]);
  expect((await explain('s-1', '--json')).stdout.trim().split('\n')).toEqual(told);
});

it('`sub plane explain` names what it could be asked for where there is no such session', async () => {
  const world = await hookWorld();
  const { code, stderr } = await runSub(['plane', 'explain', 'nobody'], {
    env: { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/no session of a client begins with `nobody`/);
});

import { writeFileSync } from 'node:fs';
import { numberAt, textAt } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall } from '../gateway/harness.js';
import { hookWorld } from '../hooks/world.js';
import { HandClock, Player, sessionOf, skipped } from './play.js';

const STEER = '[plane]\nordinary = "steer"\n';
const TEXT =
  'Subluminal, from the record: A stretch of work ended here: the kind of work has changed, from looking around to changing. It took 8 calls in 1 minute.';

describe('a steer', () => {
  it('stands in the answer to the end of the call that draws the boundary, and in no other', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: STEER });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.tell('UserPromptSubmit', { prompt: 'do it' });
    const answers = await player.work('rrrrrrreeee');
    const at = answers.findIndex((answer) => Object.keys(answer).length > 0);
    expect(answers.filter((answer) => Object.keys(answer).length > 0)).toEqual([
      {
        hookSpecificOutput: {
          hookEventName: 'PostToolUse',
          additionalContext: expect.stringMatching(/^Subluminal, from the record: A stretch of work ended/),
        },
      },
    ]);
    const text = textAt(answers[at] ?? {}, 'hookSpecificOutput', 'additionalContext');
    expect(text.replace(/ \d+ change.*$/, '')).toBe(TEXT);
    await expect.poll(() => world.gateway.rows('plane.steer')).toHaveLength(1);
    const [steer] = world.gateway.rows('plane.steer');
    expect(textAt(steer?.data ?? {}, 'text')).toBe(text);
    // It is the end of the very call that the entry names.
    const starts = world.gateway.rows('tool_call_start').map(({ seq }) => seq);
    expect(numberAt(steer?.data ?? {}, 'of', 'event')).toBe(starts[at]);
  });

  it('is none in the hold-out, and the record says so', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: STEER });
    const player = new Player(world, clock, sessionOf(world.gateway, true));
    const answers = await player.work('rrrrrrreeee');
    expect(answers.every((answer) => Object.keys(answer).length === 0)).toBe(true);
    await expect.poll(() => skipped(world.gateway.rows())).toContain('steer: held_out');
  });

  it('goes to the subagent whose work changed, and to nobody else', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: STEER });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    const helper = { agent_id: 'helper', agent_type: 'worker' };
    const told: string[] = [];
    for (const letter of 'rrrrrrreeee') {
      const [own] = await player.work('r');
      const [its] = await player.work(letter, helper);
      if (Object.keys(own ?? {}).length > 0) told.push('the agent');
      if (Object.keys(its ?? {}).length > 0) told.push('the subagent');
    }
    expect(told).toEqual(['the subagent']);
  });

  it('begins and ends with the setting, while the gateway runs', async () => {
    const world = await start();
    const run = await world.run();
    const asked = async (): Promise<unknown> =>
      dataOf(await run.client.request('hook.context', { via: 'codex_hook', session_id: 's' }));
    expect(await asked()).toEqual({ steers: false });
    writeFileSync(world.paths.config, STEER, { mode: 0o600 });
    await expect.poll(asked).toEqual({ steers: true });
  });

  it('goes to Codex by the run of its control server, at the end of a call without a status', async () => {
    const clock = new HandClock();
    const world = await start({ clock: clock.now, config: STEER });
    const run = await world.run();
    const session = sessionOf(world, false, '', 'codex_hook');
    const texts: string[] = [];
    for (const [at, letter] of Array.from('rrrrrrreeee').entries()) {
      clock.ms += 10_000;
      const command = letter === 'r' ? `cat src/a/f${at}.ts` : `sed -i s/a/b/ src/a/f${at}.ts`;
      await run.client.request(
        'tool.call.begin',
        toolCall({
          server_name: 'codex:builtin',
          tool_name: 'Bash',
          transport: 'unknown',
          via: 'codex_hook',
          cwd: '/srv/app',
          args: { command },
          context: { session, tool_use_id: `c${at}` },
        }),
      );
      const of = { via: 'codex_hook', session_id: session, tool_use_id: `c${at}`, status: 'OK' };
      const { text } = dataOf(await run.client.request('hook.context', of));
      if (text !== undefined) texts.push(`${at} ${JSON.stringify(text).slice(1, 30)}`);
    }
    expect(texts).toEqual(['8 Subluminal, from the record: ']);
  });
});

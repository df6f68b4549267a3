import type { RunTimeline } from '@subluminal/ui/protocol';
import { expect, it } from 'vitest';
import { hookWorld } from '../hooks/world.js';
import { HandClock, Player, sessionOf } from '../plane/play.js';
import { page } from './kit/page.js';

it('a run shows where the work of its agent changed, and the text that it was told there', async () => {
  const clock = new HandClock();
  const world = await hookWorld({ clock: clock.now, config: '[plane]\nordinary = "steer"\n' });
  const player = new Player(world, clock, sessionOf(world.gateway, false));
  await player.work('rrrrrrreeee');
  await expect.poll(() => world.gateway.rows('plane.steer')).toHaveLength(1);
  const [steer] = world.gateway.rows('plane.steer');
  const ours = await page(await world.gateway.operator());
  const { text } = await ours.get(`/ui/api/run/${steer?.runId ?? ''}`);
  const told: RunTimeline = JSON.parse(text);
  expect(
    told.items.filter(({ kind }) => kind === 'plane').map(({ label, lane }) => [lane, label.slice(0, 90)]),
  ).toEqual([
    ['stretches of work', 'boundary: the kind of work has changed, from looking around to changing'],
    [
      'stretches of work',
      'told the agent: Subluminal, from the record: A stretch of work ended here: the kind of wor',
    ],
  ]);
});

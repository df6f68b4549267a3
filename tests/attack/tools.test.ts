import { describe, expect, it } from 'vitest';
import { start, toolCall } from '../gateway/harness.js';
import { Lister, tool } from '../tools/lister.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

describe('a tool that is not what was approved', () => {
  it.each([
    ['a member', 'read', { 'token=': 'x', more: 'y' }],
    ['a member with its quotes', 'read', { 'password":"': 'x', more: 'y' }],
    ['the beginning of a key', 'read', { '-----BEGIN PRIVATE KEY-----': 'x', more: 'y' }],
  ])('is held also where %s looks like a credential', async (_, name, more) => {
    const world = await start();
    const { client } = await world.run();
    const lister = new Lister(client, 'fs');
    expect(await lister.seen([tool('read'), tool('write')])).toEqual(['read', 'write']);
    expect(await lister.seen([tool(name, more), tool('write')])).toEqual(['write']);
    const [held] = world.rows('tools_held');
    expect(held?.data).toMatchObject({ tools: [{ tool: 'read', reason: { kind: 'changed' } }] });
    expect((await client.request('tool.call.begin', toolCall({ tool_name: 'read' }))).status).toBe('error');
  });

  it('is recorded with a few of the members that differ, however many there are', async () => {
    const world = await start();
    const { client } = await world.run();
    const lister = new Lister(client, 'fs');
    const many = Object.fromEntries(
      Array.from({ length: 9000 }, (_, at) => [`member-${at}-${'x'.repeat(9)}`, at]),
    );
    await lister.seen([tool('read', many)]);
    await lister.seen([tool('read')]);
    expect(JSON.stringify(world.rows('tools_held')[0]?.data).length).toBeLessThan(4096);
  });
});

describe('a list of as many tools as are remembered', () => {
  it.each([
    ['of which a character stands for eighteen', '\uFDFA', 340],
    ['that fall apart', '한', 320],
    ['in another script', 'а', 320],
  ])(
    'with long names of characters %s holds nobody up, and is answered as any other',
    async (_, character, length) => {
      const world = await start();
      const { client } = await world.run();
      const [first, second] = ['one', 'other'].map((server) => new Lister(client, server));
      const names = Array.from({ length: 4000 }, (__, at) => ({ name: `${at}${character.repeat(length)}` }));
      expect(await first?.seen(names)).toHaveLength(4000);
      expect((await second?.show(names))?.status).toBe('success');
    },
  );
});

import { describe, expect, test } from 'vitest';
import { type ToolDefinition, readDefinition } from '../book/definition.js';
import { PIN_LIMITS } from '../book/limits.js';
import { OpenLists, type Page } from './pages.js';

function tools(...names: readonly string[]): ToolDefinition[] {
  return names.flatMap((name) => readDefinition({ name }) ?? []);
}

function page(cursor: string | undefined, next: string | undefined, more: Partial<Page> = {}): Page {
  return { owner: 'one', epoch: 0, cursor, next, apart: false, tools: tools(`${cursor}-${next}`), ...more };
}

describe('pages', () => {
  test('make one list by their cursors, also when two lists are read at once', () => {
    const lists = new OpenLists(PIN_LIMITS);
    const other = { owner: 'two' };
    expect(lists.place(page(undefined, 'a'))).toMatchObject({ kind: 'part' });
    expect(lists.place(page(undefined, 'a', other))).toMatchObject({ kind: 'part' });
    const placed = lists.place(page('a', undefined));
    expect(placed.kind === 'complete' && [...placed.list.tools.keys()]).toEqual([
      'undefined-a',
      'a-undefined',
    ]);
    expect(lists.place(page('a', undefined, other))).toMatchObject({ kind: 'complete' });
  });

  test('that were asked for twice are a list once', () => {
    const lists = new OpenLists(PIN_LIMITS);
    lists.place(page(undefined, 'a'));
    expect(lists.place(page('a', undefined)).kind).toBe('complete');
    expect(lists.place(page('a', undefined)).kind).toBe('part');
  });

  test('that belong to no list make none, though they look complete', () => {
    const lists = new OpenLists(PIN_LIMITS);
    expect(lists.place(page(undefined, undefined, { apart: true })).kind).toBe('part');
    expect(lists.place(page('x', undefined)).kind).toBe('part');
  });

  test('that point to themselves go in a circle', () => {
    const lists = new OpenLists(PIN_LIMITS);
    lists.place(page(undefined, 'a'));
    expect(lists.place(page('a', 'a')).kind).toBe('circle');
  });

  test('of too many lists at once are forgotten, the oldest first', () => {
    const lists = new OpenLists({ ...PIN_LIMITS, openLists: 2 });
    for (const owner of ['one', 'two', 'three']) lists.place(page(undefined, 'a', { owner }));
    expect(lists.place(page('a', undefined, { owner: 'one' })).kind).toBe('part');
    expect(lists.place(page('a', undefined, { owner: 'three' })).kind).toBe('complete');
  });

  test('of many small tools are forgotten, since each takes memory besides its text', () => {
    const names = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const lists = new OpenLists({ ...PIN_LIMITS, openBytes: 80_000 });
    for (const owner of ['one', 'two']) lists.place(page(undefined, 'a', { owner, tools: tools(...names) }));
    expect(lists.place(page('a', undefined, { owner: 'one' })).kind).toBe('part');
    expect(lists.place(page('a', undefined, { owner: 'two' })).kind).toBe('complete');
  });

  test('of too many bytes are forgotten', () => {
    const lists = new OpenLists({ ...PIN_LIMITS, openBytes: 2024 });
    const large = tools('x'.repeat(400));
    lists.place(page(undefined, 'a', { owner: 'one', tools: large }));
    lists.place(page(undefined, 'a', { owner: 'two', tools: large }));
    lists.place(page(undefined, 'a', { owner: 'three', tools: large }));
    expect(lists.place(page('a', undefined, { owner: 'one' })).kind).toBe('part');
    expect(lists.place(page('a', undefined, { owner: 'two' })).kind).toBe('complete');
  });
});

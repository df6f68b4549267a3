import { describe, expect, test } from 'vitest';
import { ToolBook } from './book.js';
import { type ToolDefinition, readDefinition } from './definition.js';
import { type Judgement, judgePage } from '../list/judgement.js';
import { PIN_LIMITS, type PinLimits } from './limits.js';
import { PinStore } from './pin-store.js';
import { memoryDb } from '../../testing/memory-db.js';

function definition(name: string, description = 'x'): ToolDefinition {
  const found = readDefinition({ name, description });
  if (found === undefined) throw new Error('no definition');
  return found;
}

function judge(
  book: ToolBook,
  limits: PinLimits,
  server: string,
  page: readonly ToolDefinition[],
): Judgement {
  const tools = new Map(page.map((tool) => [tool.name, tool]));
  const list = { tools, ambiguous: new Set<string>() };
  const command = { argvHash: server, programHash: undefined };
  return judgePage(book, limits, {
    server,
    command,
    client: '',
    page,
    list,
    complete: true,
    detailed: true,
    now: 1,
  });
}

async function pin(
  book: ToolBook,
  limits: PinLimits,
  server: string,
  page: readonly ToolDefinition[],
): Promise<void> {
  const { change } = judge(book, limits, server, page);
  if (change !== undefined) await book.apply(change);
}

describe('what is remembered', () => {
  test.each([
    ['servers', { servers: 2 }, ['a', 'b'], 'c', [definition('t3')]],
    ['tools of one server', { tools: 1 }, ['a'], 'b', [definition('x'), definition('y')]],
    ['tools of all', { allTools: 2 }, ['a', 'b'], 'c', [definition('z')]],
    ['bytes of one server', { serverBytes: 200 }, ['a'], 'b', [definition('y', 'ä'.repeat(100))]],
    ['bytes of all', { allBytes: 200 }, ['a', 'b'], 'c', [definition('z', 'x'.repeat(200))]],
  ])('is bounded in %s: more are refused, and none is given up', async (_, few, first, next, tools) => {
    const limits = { ...PIN_LIMITS, ...few };
    const book = new ToolBook(new PinStore(memoryDb()), limits);
    for (const server of first) await pin(book, limits, server, [definition(`of ${server}`)]);
    await expect(pin(book, limits, next, tools)).rejects.toEqual(
      expect.objectContaining({ code: 'overloaded' }),
    );
    expect(book.servers().map(({ row }) => row.server)).toEqual(first);
    for (const server of first)
      expect(judge(book, limits, server, [definition(`of ${server}`)]).change).toBeUndefined();
    expect(book.server(next)).toBeUndefined();
  });

  test('has room again when a server is forgotten', async () => {
    const limits = { ...PIN_LIMITS, servers: 1, allTools: 1 };
    const book = new ToolBook(new PinStore(memoryDb()), limits);
    await pin(book, limits, 'a', [definition('x')]);
    expect(book.forget('a')).toBe(true);
    expect(book.forget('a')).toBe(false);
    await pin(book, limits, 'b', [definition('y')]);
    expect(book.namesakes('c', 'x')).toEqual([]);
    expect(book.namesakes('c', 'y')).toHaveLength(1);
  });

  test('tells one tool of each server that looks like another, the first in front', async () => {
    const db = memoryDb();
    const book = new ToolBook(new PinStore(db), PIN_LIMITS);
    await pin(book, PIN_LIMITS, 'z', [definition('Read'), definition('read'), definition('rеad')]);
    await pin(book, PIN_LIMITS, 'a', [definition('READ')]);
    for (const one of [book, new ToolBook(new PinStore(db), PIN_LIMITS)]) {
      const found = (tool: string) =>
        one.namesakes('c', tool).map(({ server, tool: name }) => [server.row.server, name]);
      expect(found('read')).toEqual([
        ['z', 'read'],
        ['a', 'READ'],
      ]);
      expect(one.namesakes('z', 'read').map(({ tool }) => tool)).toEqual(['READ']);
    }
    book.forget('z');
    expect(book.namesakes('c', 'read').map(({ tool }) => tool)).toEqual(['READ']);
  });

  test('takes a change without reading its definitions again, which may be many', async () => {
    const book = new ToolBook(new PinStore(memoryDb()), PIN_LIMITS);
    const { change } = judge(book, PIN_LIMITS, 'a', [definition('x')]);
    if (change === undefined) throw new Error('nothing changes');
    const pins = change.pins?.map((row) => ({ ...row, definition: 'unread', raised: ['write_like'] })) ?? [];
    await book.apply({ ...change, pins });
    expect(book.server('a')?.pins.get('x')?.raised).toEqual(['write_like']);
  });

  test('is what the database has, after every change', async () => {
    const db = memoryDb();
    const book = new ToolBook(new PinStore(db), PIN_LIMITS);
    await pin(book, PIN_LIMITS, 'a', [definition('x'), definition('y')]);
    await pin(book, PIN_LIMITS, 'a', [definition('x', 'other'), definition('z')]);
    await pin(book, PIN_LIMITS, 'b', [definition('x')]);
    const again = new ToolBook(new PinStore(db), PIN_LIMITS);
    const state = (one: ToolBook) =>
      one.servers().map(({ row, pins, held }) => ({ row, pins: [...pins], held: [...held] }));
    expect(state(again)).toEqual(state(book));
    expect(again.nextSince).toBe(book.nextSince);
  });
});

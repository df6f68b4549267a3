import { describe, expect, test, vi } from 'vitest';
import { ToolBook } from './book.js';
import { type ToolDefinition, readDefinition } from './definition.js';
import { type Judgement, judgePage } from '../list/judgement.js';
import { PIN_LIMITS, type PinLimits } from './limits.js';
import { type PinChange, PinStore } from './pin-store.js';
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

const many = (count: number, description?: string): ToolDefinition[] =>
  Array.from({ length: count }, (_, at) => definition(`t${at}`, description));

function rowsOf({ pins = [], held = [], released = [], vanished = [], returned = [] }: PinChange): number {
  return pins.length + held.length + released.length + vanished.length + returned.length;
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

  test('takes a list of thousands a part at a time, with turns for others between', async () => {
    const store = new PinStore(memoryDb());
    const book = new ToolBook(store, PIN_LIMITS);
    const applied = vi.spyOn(store, 'apply');
    await pin(book, PIN_LIMITS, 'a', many(2000));
    await pin(book, PIN_LIMITS, 'a', many(2000, 'other'));
    await pin(book, PIN_LIMITS, 'a', []);
    const rows = applied.mock.calls.map(([change]) => rowsOf(change));
    expect(Math.max(...rows)).toBeLessThanOrEqual(500);
    expect(rows.length).toBeGreaterThanOrEqual(12);
    await pin(book, PIN_LIMITS, 'b', [definition('x')]);
    expect(applied.mock.calls.slice(rows.length)).toHaveLength(1);
    expect(book.server('a')?.held.size).toBe(0);
  });

  test('holds after a crash between any two parts of a change all that it may not call, or has it as it was', async () => {
    // A first list with look-alikes of another server, a list that changed, and its approval.
    const lookAlikes = many(600).map(({ name }) => definition(name.toUpperCase(), 'else'));
    for (let parts = 0, isDone = false; !isDone; parts += 1) {
      const db = memoryDb();
      const store = new PinStore(db);
      const book = new ToolBook(store, PIN_LIMITS);
      await pin(book, PIN_LIMITS, 'z', many(600));
      const apply = store.apply.bind(store);
      let left = parts;
      vi.spyOn(store, 'apply').mockImplementation((change) => {
        if (left === 0) throw new Error('killed');
        left -= 1;
        apply(change);
      });
      isDone = await pin(book, PIN_LIMITS, 'a', lookAlikes).then(
        () => true,
        () => false,
      );
      const known = new ToolBook(new PinStore(db), PIN_LIMITS).server('a');
      for (const name of known?.pins.keys() ?? []) expect(known?.held.has(name)).toBe(true);
      if (!isDone) expect(known?.row.pinned_ms ?? null).toBeNull();
      if (isDone) expect([known?.pins.size, known?.held.size]).toEqual([600, 600]);
    }
  });

  test('goes on after such a crash where the next list is read', async () => {
    const db = memoryDb();
    const store = new PinStore(db);
    const book = new ToolBook(store, PIN_LIMITS);
    const apply = store.apply.bind(store);
    let left = 2;
    vi.spyOn(store, 'apply').mockImplementation((change) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      apply(change);
    });
    await expect(pin(book, PIN_LIMITS, 'a', many(2000))).rejects.toThrow('killed');
    const again = new ToolBook(new PinStore(db), PIN_LIMITS);
    const found = again.server('a')?.pins.size ?? 0;
    expect([found > 0, found < 2000]).toEqual([true, true]);
    // One that was pinned before the crash is held where it says something else now.
    const [first, ...rest] = many(2000);
    await pin(again, PIN_LIMITS, 'a', [definition(first?.name ?? '', 'else'), ...rest]);
    expect([again.server('a')?.pins.size, [...(again.server('a')?.held.keys() ?? [])]]).toEqual([
      2000,
      ['t0'],
    ]);
  });
});

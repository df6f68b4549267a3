import { expect, test, vi } from 'vitest';
import { ToolBook } from './book/book.js';
import { type ToolDefinition, readDefinition } from './book/definition.js';
import { judgePage } from './list/judgement.js';
import { PIN_LIMITS } from './book/limits.js';
import { PinModes } from './pin-modes.js';
import { PinStore } from './book/pin-store.js';
import { ToolPins } from './tool-pins.js';
import { memoryDb } from '../testing/memory-db.js';

function definition(name: string, more: object = {}): ToolDefinition {
  const found = readDefinition({ name, inputSchema: { type: 'object' }, ...more });
  if (found === undefined) throw new Error('no definition');
  return found;
}

async function bookOf(
  ...lists: readonly (readonly [string, readonly ToolDefinition[], boolean])[]
): Promise<ToolBook> {
  const book = new ToolBook(new PinStore(memoryDb()), PIN_LIMITS);
  for (const [server, page, complete] of lists) {
    const { change } = judgePage(book, PIN_LIMITS, {
      server,
      command: { argvHash: server, programHash: undefined },
      client: '',
      page,
      list: { tools: new Map(page.map((tool) => [tool.name, tool])), ambiguous: new Set() },
      complete,
      detailed: true,
      now: 1,
    });
    if (change !== undefined) await book.apply(change);
  }
  return book;
}

const RISKY = { annotations: { destructiveHint: true } };

test('only what is approved may be called, and an approved tool has its schema', async () => {
  const book = await bookOf(
    ['a', [definition('x'), definition('y', RISKY)], true],
    ['a', [definition('x', RISKY)], true],
  );
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: [] })));
  expect(pins.of('a', 'x')).toMatchObject({ held: { summary: expect.any(String) }, raised: ['write_like'] });
  expect(pins.of('a', 'y').held).toBeUndefined();
  expect(pins.of('a', 'y')).toMatchObject({ raised: ['write_like'], inputSchema: { type: 'object' } });
  expect(pins.of('a', 'z').held).toEqual({
    reason: 'UNKNOWN_TOOL',
    summary: 'the tool `z` is in no list of its server; use one that is listed',
  });
  expect(pins.of('b', 'x')).toEqual({ raised: [] });
  expect(pins.of('a', 'mcp:resources/read')).toEqual({ raised: [] });
  expect(pins.factsOf('a')).toEqual({ only: ['y'], raised: { x: ['write_like'], y: ['write_like'] } });
});

test('of a server that was never listed whole, a held tool is held for who decides without asking, too', async () => {
  const book = await bookOf(
    ['a', [definition('x')], true],
    ['b', [definition('X', { title: 'better' }), definition('y')], false],
  );
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: [] })));
  expect(pins.of('b', 'X').held).toMatchObject({ reason: 'TOOL_HELD' });
  expect(pins.of('b', 'y').held).toBeUndefined();
  expect(pins.factsOf('b')).toEqual({ only: [], raised: {} });
  expect(pins.factsOf('unknown')).toEqual({ only: null, raised: {} });
});

test.each(['flag', 'off'] as const)('nothing is held where the setting is %s', async (mode) => {
  const book = await bookOf(['a', [definition('x')], true], ['a', [definition('x', RISKY)], true]);
  const pins = new ToolPins(book, new PinModes(() => ({ pin: mode, flag: [] })));
  expect(pins.of('a', 'x').held).toBeUndefined();
  expect(pins.of('a', 'x').raised).toEqual(mode === 'flag' ? ['write_like'] : []);
  expect(pins.factsOf('a').only).toBeNull();
});

test('nothing is held of a server that is only flagged, and others are as they were', async () => {
  const changed = [definition('x', RISKY)];
  const book = await bookOf(
    ['a', [definition('x')], true],
    ['b', [definition('y')], true],
    ['a', changed, true],
  );
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: ['a'] })));
  expect(pins.of('a', 'x')).toMatchObject({ raised: ['write_like'] });
  expect(pins.of('a', 'x').held).toBeUndefined();
  expect(pins.factsOf('a').only).toBeNull();
  expect(pins.of('b', 'x').held).toMatchObject({ reason: 'UNKNOWN_TOOL' });
  expect(new PinModes(() => ({ pin: 'off', flag: ['a'] })).of('a')).toBe('off');
});

test('an agent is told what happened and what to do, and no command of the operator', async () => {
  const key = `sk-${'a1B2'.repeat(12)}`;
  const book = await bookOf(
    ['a', [definition('x')], true],
    ['a', [definition('x', RISKY), definition(key)], true],
  );
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: [] })));
  for (const tool of ['x', key, 'other']) {
    const summary = pins.of('a', tool).held?.summary ?? '';
    expect(summary).toMatch(/go on without it|use one that is listed/);
    expect(summary).not.toMatch(/\bsub\b|approve |--/);
    expect(summary).not.toContain(key);
  }
});

test('schemas are remembered up to a number of bytes', async () => {
  const page = Array.from({ length: 20 }, (_, at) =>
    definition(`t${at}`, { inputSchema: { type: 'object', title: 'x'.repeat(250_000) } }),
  );
  const book = await bookOf(['a', page, true]);
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: [] })));
  const reads = vi.spyOn(book, 'definition');
  const readAll = (): void =>
    page.forEach(({ name }) => expect(pins.of('a', name).inputSchema).toBeDefined());
  readAll();
  readAll();
  expect(reads).toHaveBeenCalledTimes(40);
  for (const _ of [1, 2]) expect(pins.of('a', 't19').inputSchema).toBeDefined();
  expect(reads).toHaveBeenCalledTimes(40);
});

test('a schema is remembered of the definition that has it, and not of the one before it', async () => {
  const [plain, strict] = [
    definition('x'),
    definition('x', { inputSchema: { type: 'object', title: 'new' } }),
  ];
  const book = await bookOf(['a', [plain], true], ['b', [plain], true], ['a', [strict], true]);
  const pins = new ToolPins(book, new PinModes(() => ({ pin: 'flag', flag: [] })));
  const known = book.server('a');
  if (known === undefined) throw new Error('no server');
  const row = { ...strict, server: 'a', tool: 'x', definition: strict.text, since: 1, missing: 0, beside: 0 };
  const approved = book.apply({ server: known.row, pins: [row], released: ['x'] });
  // The database has the new one already, and memory the old one until the next turn.
  expect(pins.of('a', 'x').inputSchema).toEqual({ type: 'object', title: 'new' });
  expect(pins.of('b', 'x').inputSchema).toEqual({ type: 'object' });
  await approved;
  expect(pins.of('a', 'x').inputSchema).toEqual({ type: 'object', title: 'new' });
  expect(pins.of('b', 'x').inputSchema).toEqual({ type: 'object' });
});

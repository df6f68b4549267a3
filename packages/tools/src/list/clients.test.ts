import { expect, test } from 'vitest';
import { ToolBook } from '../book/book.js';
import { readDefinition } from '../book/definition.js';
import { type Judgement, judgePage } from './judgement.js';
import { PIN_LIMITS } from '../book/limits.js';
import { PinStore } from '../book/pin-store.js';
import { memoryDb } from '../../testing/memory-db.js';

test('a tool that was pinned before clients were told apart is missed in the list of the first that came', () => {
  const db = memoryDb();
  let book = new ToolBook(new PinStore(db), PIN_LIMITS);
  list(book, 'other server', '', ['x']);
  list(book, 's', '', ['a', 'b']);
  // A home of before has pins and no clients.
  db.exec("DELETE FROM tool_client WHERE server = 's'");
  book = new ToolBook(new PinStore(db), PIN_LIMITS);
  expect(list(book, 's', 'first', ['a', 'b'])).toMatchObject({ vanished: [] });
  expect(list(book, 's', 'second', ['a', 'c'])).toMatchObject({ vanished: [], first: [{ name: 'c' }] });
  for (let restarts = 0; restarts < 2; restarts += 1) {
    expect(list(book, 's', 'first', ['a'])).toMatchObject({ vanished: ['b'] });
    expect(list(book, 's', 'second', ['a', 'c'])).toMatchObject({ vanished: [], returned: [] });
    expect(list(book, 's', 'first', ['a', 'b'])).toMatchObject({ returned: ['b'] });
    book = new ToolBook(new PinStore(db), PIN_LIMITS);
  }
});

test('a client whose first list had no tools misses none that were pinned for others', () => {
  const book = new ToolBook(new PinStore(memoryDb()), PIN_LIMITS);
  list(book, 's', 'first', []);
  list(book, 's', 'second', ['a']);
  expect(list(book, 's', 'first', []).change).toBeUndefined();
});

function list(book: ToolBook, server: string, client: string, names: readonly string[]): Judgement {
  const page = names.flatMap((name) => readDefinition({ name }) ?? []);
  const tools = new Map(page.map((tool) => [tool.name, tool]));
  const judgement = judgePage(book, PIN_LIMITS, {
    server,
    command: { argvHash: server, programHash: undefined },
    client,
    page,
    list: { tools, ambiguous: new Set() },
    complete: true,
    detailed: true,
    now: 1,
  });
  if (judgement.change !== undefined) book.apply(judgement.change);
  return judgement;
}

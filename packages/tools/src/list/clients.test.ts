import { expect, test } from 'vitest';
import { ToolBook } from '../book/book.js';
import { readDefinition } from '../book/definition.js';
import { type Judgement, judgePage } from './judgement.js';
import { PIN_LIMITS } from '../book/limits.js';
import { PinStore } from '../book/pin-store.js';
import { memoryDb } from '../../testing/memory-db.js';

test('a tool that was pinned before clients were told apart is missed in the list of the first that came', async () => {
  const db = memoryDb();
  let book = new ToolBook(new PinStore(db), PIN_LIMITS);
  await list(book, 'other server', '', ['x']);
  await list(book, 's', '', ['a', 'b']);
  // A home of before has pins and no clients.
  db.exec("DELETE FROM tool_client WHERE server = 's'");
  book = new ToolBook(new PinStore(db), PIN_LIMITS);
  expect(await list(book, 's', 'first', ['a', 'b'])).toMatchObject({ vanished: [] });
  expect(await list(book, 's', 'second', ['a', 'c'])).toMatchObject({ vanished: [], first: [{ name: 'c' }] });
  for (let restarts = 0; restarts < 2; restarts += 1) {
    expect(await list(book, 's', 'first', ['a'])).toMatchObject({ vanished: ['b'] });
    expect(await list(book, 's', 'second', ['a', 'c'])).toMatchObject({ vanished: [], returned: [] });
    expect(await list(book, 's', 'first', ['a', 'b'])).toMatchObject({ returned: ['b'] });
    book = new ToolBook(new PinStore(db), PIN_LIMITS);
  }
});

test('a client whose first list had no tools misses none that were pinned for others', async () => {
  const book = new ToolBook(new PinStore(memoryDb()), PIN_LIMITS);
  await list(book, 's', 'first', []);
  await list(book, 's', 'second', ['a']);
  expect((await list(book, 's', 'first', [])).change).toBeUndefined();
});

async function list(
  book: ToolBook,
  server: string,
  client: string,
  names: readonly string[],
): Promise<Judgement> {
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
  if (judgement.change !== undefined) await book.apply(judgement.change);
  return judgement;
}

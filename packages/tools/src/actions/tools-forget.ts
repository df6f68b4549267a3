import { type ActionOf, type Mutex, operate } from '@subluminal/gateway';
import type { ToolBook } from '../book/book.js';
import { knownServer } from './known-server.js';

/** `tools.forget`: the next list of the server is its first. */
export function toolsForget(book: ToolBook, turns: Mutex): ActionOf<'tools.forget'> {
  return operate(({ server_name: name }) =>
    turns.take(() => {
      const { row, pins, held } = knownServer(book, name);
      const forgotten = { server_name: row.server, pinned: pins.size, held: held.size };
      book.forget(row.server);
      return Promise.resolve(forgotten);
    }),
  );
}

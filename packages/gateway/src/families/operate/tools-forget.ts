import type { Mutex } from '../../base/mutex.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { ToolBook } from '../../tools/book.js';
import { knownServer } from '../../tools/known-server.js';
import { operate } from './operate.js';

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

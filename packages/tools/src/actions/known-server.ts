import { SublError, type JsonObject } from '@subluminal/core-types';
import type { Held, KnownServer, ToolBook } from '../book/book.js';
import { isApprovable, reasonData } from '../book/reason.js';

/** The tools that are known of a server. @throws SublError `not_found` */
export function knownServer(book: ToolBook, name: string): KnownServer {
  const known = book.server(name);
  if (known === undefined) throw new SublError('not_found', `no tools of a server \`${name}\` are known`);
  return known;
}

/** A held tool as answers show it. */
export function heldData(tool: string, { hash, reason, heldMs, shown }: Held): JsonObject {
  return {
    tool_name: tool,
    hash,
    reason: reasonData(reason),
    held_at: new Date(heldMs).toISOString(),
    shown,
    approvable: isApprovable(reason),
  };
}

import { SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { type ActionOf, read } from '@subluminal/gateway';
import type { Held, KnownServer, ToolBook } from '../book/book.js';
import { heldData, knownServer } from './known-server.js';

/** Definitions that one answer carries: the rest is asked for tool by tool. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * `tools.diff`: held tools beside what was approved before. A tool that was shown in full may be approved.
 */
export function toolsDiff(book: ToolBook): ActionOf<'tools.diff'> {
  return read(({ server_name: server, tool_name: tool, shown }) => {
    const servers = server === undefined ? book.servers() : [knownServer(book, server)];
    const tools: JsonValue[] = [];
    let bytes = 0;
    let omitted = 0;
    for (const known of servers) {
      for (const [name, held] of known.held) {
        if (tool !== undefined && tool !== name) continue;
        if (bytes > MAX_ANSWER_BYTES) {
          omitted += 1;
          continue;
        }
        bytes += held.bytes + (known.pins.get(name)?.bytes ?? 0) + bytesOf(book, held.reason.of);
        if (shown) book.markShown(known.row.server, name);
        tools.push(difference(book, known, name, held));
      }
    }
    if (tool !== undefined && tools.length === 0) {
      throw new SublError('not_found', `no tool \`${tool}\` of that server is held`);
    }
    return { tools, omitted };
  });
}

/** Many held tools may look like one other: each time its definition is read and carried again. */
function bytesOf(book: ToolBook, of: Held['reason']['of']): number {
  return of === undefined ? 0 : (book.server(of.server)?.pins.get(of.tool)?.bytes ?? 0);
}

function difference(book: ToolBook, known: KnownServer, tool: string, held: Held): JsonObject {
  const { server } = known.row;
  const { of: other, kind } = held.reason;
  const before = book.definition('pinned', server, tool);
  const namesake = other === undefined ? undefined : book.definition('pinned', other.server, other.tool);
  return {
    server_name: server,
    ...heldData(tool, held),
    before: before ?? null,
    after: kind === 'too_large' ? null : (book.definition('held', server, tool) ?? null),
    other: namesake ?? null,
  };
}

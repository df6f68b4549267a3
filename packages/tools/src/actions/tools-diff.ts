import { SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { type ActionOf, read, type Turns } from '@subluminal/gateway';
import type { Held, KnownServer, ToolBook } from '../book/book.js';
import { heldData, knownServer } from './known-server.js';

/** Bytes of definitions that one answer carries, as a turn of the event loop writes them. */
const MOST_BYTES = 1024 * 1024;

/**
 * `tools.diff`: held tools beside what was approved before, read a share of each turn. Those that do not fit
 * are asked for tool by tool: they are the largest, so that none hides many. A tool that was shown in full
 * may be approved.
 */
export function toolsDiff(book: ToolBook, turns: Turns): ActionOf<'tools.diff'> {
  return read(async ({ server_name: server, tool_name: tool, shown }) => {
    const servers = server === undefined ? book.servers() : [knownServer(book, server)];
    const asked = servers.flatMap((known) => heldOf(book, known, tool));
    if (tool !== undefined && asked.length === 0)
      throw new SublError('not_found', `no tool \`${tool}\` of that server is held`);
    const fitting = fittingOf(asked);
    const left = asked.filter((one) => fitting.has(one)).toReversed();
    const tools: JsonValue[] = [];
    await turns.work(() => {
      const next = left.pop();
      if (next === undefined) return false;
      const { known, name } = next;
      const held = known.held.get(name);
      // It may be approved by now.
      if (held === undefined) return true;
      if (shown) book.markShown(known.row.server, name);
      tools.push(difference(book, known, name, held));
      return true;
    });
    return { tools, omitted: asked.length - fitting.size };
  });
}

/** A held tool, and the bytes of what is told of it. */
interface Asked {
  readonly known: KnownServer;
  readonly name: string;
  readonly bytes: number;
}

function heldOf(book: ToolBook, known: KnownServer, tool: string | undefined): readonly Asked[] {
  const all = [...known.held].filter(([name]) => tool === undefined || tool === name);
  return all.map(([name, { bytes, reason }]) => ({
    known,
    name,
    bytes: bytes + (known.pins.get(name)?.bytes ?? 0) + bytesOf(book, reason.of),
  }));
}

/** The smallest, and one at least. */
function fittingOf(asked: readonly Asked[]): ReadonlySet<Asked> {
  const fitting = new Set<Asked>();
  let bytes = 0;
  for (const one of asked.toSorted((a, b) => a.bytes - b.bytes)) {
    bytes += one.bytes;
    if (fitting.size > 0 && bytes > MOST_BYTES) break;
    fitting.add(one);
  }
  return fitting;
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

import { canonicalize, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { ActionHandler } from '../../pipeline/handlers.js';
import type { PipelineCall } from '../../pipeline/call.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success, type Outcome } from '../../pipeline/reply.js';
import type { Recorder } from '../../recording/recorder.js';
import type { Held, KnownServer, ToolBook } from '../../tools/book.js';
import { approvedEntry } from '../../tools/entries.js';
import type { PinRow } from '../../tools/pin-store.js';
import { isApprovable, reasonData } from '../../tools/reason.js';
import type { PinModes } from '../../tools/pin-modes.js';
import type { Mutex } from '../../base/mutex.js';

/** Definitions that one answer carries: the rest is asked for tool by tool. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** What the operator's actions on tools need. */
export interface ToolOperations {
  readonly book: ToolBook;
  readonly modes: PinModes;
  readonly recorder: Recorder;
  readonly turns: Mutex;
}

/** The operator's actions on pinned and held tools. */
export function toolHandlers(
  parts: ToolOperations,
): Readonly<Record<'tools.list' | 'tools.diff' | 'tools.approve' | 'tools.forget', ActionHandler>> {
  const { book, turns } = parts;
  return {
    'tools.list': {
      execute: (call) => {
        const { server_name: name } = payloadOf(call, 'tools.list');
        const servers = name === undefined ? book.servers() : [find(book, name)];
        return success({
          pin: parts.modes.pin,
          servers: servers.map((one) => serverData(one, parts.modes, name !== undefined)),
        });
      },
    },
    'tools.diff': { execute: (call) => diff(book, call) },
    'tools.approve': { execute: (call) => turns.take(() => approve(parts, call)) },
    'tools.forget': {
      execute: (call) =>
        turns.take(() => {
          const known = find(book, payloadOf(call, 'tools.forget').server_name);
          const facts = { server_name: known.row.server, pinned: known.pins.size, held: known.held.size };
          book.forget(known.row.server);
          return Promise.resolve(success(facts));
        }),
    },
  };
}

function find(book: ToolBook, name: string): KnownServer {
  const known = book.server(name);
  if (known === undefined) throw new SublError('not_found', `no tools of a server \`${name}\` are known`);
  return known;
}

function serverData({ row, pins, held }: KnownServer, modes: PinModes, withTools: boolean): JsonObject {
  return {
    server_name: row.server,
    pin: modes.of(row.server),
    pinned_at: row.pinned_ms === null ? null : new Date(row.pinned_ms).toISOString(),
    pinned: pins.size,
    missing: [...pins.values()].filter(({ missing }) => missing).length,
    held: [...held].map(([tool, one]) => heldData(tool, one)),
    ...(withTools
      ? {
          tools: [...pins].map(([tool, { hash, missing, raised }]) => ({
            tool_name: tool,
            hash,
            state: held.has(tool) ? 'held' : missing ? 'missing' : 'pinned',
            raised: [...raised],
          })),
        }
      : {}),
  };
}

function heldData(tool: string, { hash, reason, heldMs, shown }: Held): JsonObject {
  return {
    tool_name: tool,
    hash,
    reason: reasonData(reason),
    held_at: new Date(heldMs).toISOString(),
    shown,
    approvable: isApprovable(reason),
  };
}

function diff(book: ToolBook, call: PipelineCall): Outcome {
  const { server_name: server, tool_name: tool, shown } = payloadOf(call, 'tools.diff');
  const servers = server === undefined ? book.servers() : [find(book, server)];
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
      bytes += held.bytes + (known.pins.get(name)?.bytes ?? 0);
      if (shown) book.markShown(known.row.server, name);
      tools.push(difference(book, known, name, held));
    }
  }
  if (tool !== undefined && tools.length === 0) {
    throw new SublError('not_found', `no tool \`${tool}\` of that server is held`);
  }
  return success({ tools, omitted });
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

async function approve(parts: ToolOperations, call: PipelineCall): Promise<Outcome> {
  const { book, recorder } = parts;
  const { server_name: server, tools } = payloadOf(call, 'tools.approve');
  const known = find(book, server);
  const rows: PinRow[] = [];
  const approved: { tool: string; hash: string; before: string | undefined }[] = [];
  const left: JsonValue[] = [];
  for (const { tool_name: tool, hash } of tools) {
    const why = whyNot(known.held.get(tool), hash);
    const definition = why === undefined ? book.definition('held', server, tool) : undefined;
    const held = known.held.get(tool);
    if (definition === undefined || held === undefined) {
      left.push({ tool_name: tool, why: why ?? 'not_held' });
      continue;
    }
    const before = known.pins.get(tool);
    rows.push(pinRow(book, known, { tool, held, definition }));
    approved.push({ tool, hash, before: before?.hash });
  }
  if (approved.length > 0) {
    const change = { server: known.row, pins: rows, released: approved.map(({ tool }) => tool) };
    book.assertRoom(change);
    const result = await recorder.append({ entries: [approvedEntry(call, server, approved)] });
    if (!result.ok) {
      throw new SublError('audit_unavailable', 'the approval could not be recorded, so it has no effect');
    }
    book.apply(change);
  }
  return success({
    server_name: server,
    approved: approved.map(({ tool, hash }) => ({ tool_name: tool, hash })),
    left,
  });
}

function whyNot(
  held: Held | undefined,
  hash: string,
): 'not_held' | 'changed_again' | 'not_approvable' | 'not_shown' | undefined {
  if (held === undefined) return 'not_held';
  if (held.hash !== hash) return 'changed_again';
  if (!isApprovable(held.reason)) return 'not_approvable';
  // Not only the command line asks: nothing is approved that no person was shown.
  return held.shown ? undefined : 'not_shown';
}

/** A tool that was pinned keeps its place in the order; one that was held for its name may have it. */
function pinRow(
  book: ToolBook,
  { row, pins }: KnownServer,
  { tool, held, definition }: { readonly tool: string; readonly held: Held; readonly definition: JsonObject },
): PinRow {
  const before = pins.get(tool);
  const { hash, shape, reason } = held;
  const isBeside = reason.kind === 'shadows' || reason.kind === 'looks_like' || before?.beside === true;
  return {
    server: row.server,
    tool,
    hash,
    shape,
    definition: canonicalize(definition),
    since: before?.since ?? book.nextSince,
    missing: 0,
    beside: isBeside ? 1 : 0,
  };
}

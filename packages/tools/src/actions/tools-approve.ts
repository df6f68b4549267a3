import {
  canonicalize,
  SublError,
  type JsonObject,
  type JsonValue,
  type PayloadOf,
} from '@subluminal/core-types';
import { type ActionOf, type Call, type Mutex, type Recorder, operate } from '@subluminal/gateway';
import type { Held, KnownServer, ToolBook } from '../book/book.js';
import { approvedEntry } from './entries.js';
import { knownServer } from './known-server.js';
import type { PinRow } from '../book/pin-store.js';
import { isApprovable } from '../book/reason.js';

export interface ToolsApproveParts {
  readonly book: ToolBook;
  readonly recorder: Recorder;
  readonly turns: Mutex;
}

/** `tools.approve`: the operator takes held tools as they were shown. */
export function toolsApprove(parts: ToolsApproveParts): ActionOf<'tools.approve'> {
  return operate((payload, call) => parts.turns.take(() => approve(parts, payload, call)));
}

async function approve(
  { book, recorder }: ToolsApproveParts,
  { server_name: server, tools }: PayloadOf<'tools.approve'>,
  call: Call,
): Promise<JsonObject> {
  const known = knownServer(book, server);
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
    await book.apply(change);
  }
  return {
    server_name: server,
    approved: approved.map(({ tool, hash }) => ({ tool_name: tool, hash })),
    left,
  };
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
    raised: held.raised,
  };
}

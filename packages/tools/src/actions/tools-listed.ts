import { nextTurn, type ToolsListedPayload } from '@subluminal/core-types';
import {
  type ActionOf,
  BEGINS,
  type Call,
  type Clock,
  type Mutex,
  type Outcome,
  type Recorder,
  type Run,
  type Turns,
  life,
  success,
} from '@subluminal/gateway';
import type { ToolBook } from '../book/book.js';
import { ChangePace } from '../list/change-pace.js';
import { type ToolDefinition, readDefinition } from '../book/definition.js';
import { listEntries, unendedEntry } from './entries.js';
import type { Judged } from '../list/judged.js';
import { type Judgement, judgePage } from '../list/judgement.js';
import type { PinLimits } from '../book/limits.js';
import { OpenLists, type Page } from '../list/pages.js';
import type { PinChange } from '../book/pin-store.js';
import type { PinModes } from '../pin-modes.js';

/** What lists are judged with. */
export interface ListedParts {
  readonly book: ToolBook;
  readonly limits: PinLimits;
  readonly modes: PinModes;
  readonly recorder: Recorder;
  readonly turns: Mutex;
  /** The turns of the event loop, and the share of each that all lists together may take. */
  readonly loopTurns: Turns;
  readonly clock: Clock;
  /** Told of each tool that is held from now on. */
  readonly onHeld: (held: {
    readonly run: Run;
    readonly server: string;
    readonly tool: string;
    readonly reason: string;
  }) => void;
  /** Whether the policy keeps a tool out of sight. */
  readonly hides: (run: Run, server: string, tool: string) => boolean;
}

/**
 * `tools.listed`: a server answered `tools/list`. What of it the client may see is told only once everything
 * that it changes is recorded. A list that says nothing new costs neither an entry nor a write.
 */
export function toolsListed(parts: ListedParts): ActionOf<'tools.listed'> {
  const lists = new OpenLists(parts.limits);
  const pace = new ChangePace(parts.clock);
  return life(BEGINS, (call, payload) => ({
    record: () => 'own',
    execute: async () => {
      const { run } = call;
      const { read, hidden } = await readPage(parts, run, payload);
      const mode = parts.modes.of(payload.server_name);
      if (mode === 'off') return answer(hidden);
      const page = pageOf(run, payload, read);
      const placed = lists.place(page);
      const about = {
        server: payload.server_name,
        command: { argvHash: payload.argv_hash, programHash: payload.program_hash },
        client: payload.client_hash ?? '',
        detailed: false,
        now: call.now,
      };
      if (placed.kind === 'circle') {
        const refused = success({ leave_out: [], refuse: placed.why });
        const { list, why } = placed;
        if (list === undefined || !pace.take(about.server, list.tools.size)) return refused;
        const judged: Judged = { ...about, page: [], list, complete: true };
        return parts.turns.take(async () => {
          await recordUnended(parts, mode, { call, payload }, judged, why);
          return refused;
        });
      }
      const judged: Judged = {
        ...about,
        page: page.tools,
        list: placed.list,
        complete: placed.kind === 'complete',
      };
      const judgement = judgePage(parts.book, parts.limits, judged);
      const leaveOut = (held: ReadonlySet<string>): Outcome => {
        const out = new Set(hidden);
        if (mode === 'hold') {
          for (const [at, tool] of read.entries()) if (tool !== undefined && held.has(tool.name)) out.add(at);
        }
        return answer(out);
      };
      if (judgement.change === undefined) return leaveOut(judgement.held);
      if (!pace.take(judged.server, rowsOf(judgement.change)))
        return success({ leave_out: [], refuse: 'it changes too often' });
      return parts.turns.take(async () =>
        leaveOut((await record(parts, mode, { call, payload }, judged)).held),
      );
    },
  }));
}

/** The request that brings a page. */
interface Listing {
  readonly call: Call;
  readonly payload: ToolsListedPayload;
}

/** Reads a page of any size, a share of each turn: a frame holds more tools than one turn has time for. */
async function readPage(
  { book, hides, loopTurns }: ListedParts,
  run: Run,
  { server_name: server, tools }: ToolsListedPayload,
): Promise<{
  readonly read: readonly (ToolDefinition | undefined)[];
  readonly hidden: ReadonlySet<number>;
}> {
  const read: (ToolDefinition | undefined)[] = [];
  const hidden = new Set<number>();
  await loopTurns.work(() => {
    const value = tools[read.length];
    if (value === undefined) return false;
    const tool = readDefinition(value);
    if (tool === undefined || hides(run, server, tool.name)) hidden.add(read.length);
    if (tool !== undefined) book.prepare(tool.name);
    read.push(tool);
    return true;
  });
  return { read, hidden };
}

function rowsOf({ pins = [], held = [], released = [], vanished = [], returned = [] }: PinChange): number {
  return pins.length + held.length + released.length + vanished.length + returned.length;
}

/**
 * Judges again in a turn of its own, since others may have changed what is known meanwhile; records, then
 * changes.
 */
async function record(
  parts: ListedParts,
  mode: 'hold' | 'flag',
  { call, payload }: Listing,
  judged: Judged,
  unended?: string,
): Promise<Judgement> {
  const { book, limits, recorder } = parts;
  await nextTurn();
  const judgement = judgePage(book, limits, { ...judged, detailed: true });
  const { change } = judgement;
  if (change === undefined) return judgement;
  book.assertRoom(change);
  const { shim_id: shimId } = payload;
  const entries = listEntries(call, { shimId, server: judged.server, mode, unended }, judgement);
  if (entries.length > 0) await recorder.append({ entries });
  await book.apply(change);
  if (judgement.firstOf === 'client')
    for (const { name } of judgement.first ?? []) judged.list.addedHere?.add(name);
  if (mode === 'hold') {
    for (const { tool, reason } of judgement.findings)
      parts.onHeld({ run: call.run, server: judged.server, tool: tool.name, reason: reason.kind });
  }
  return judgement;
}

/**
 * A list without an end. Of a server that has no pins yet its tools so far become them: it must not go on for
 * ever to stay one that can say something else each time. Of any other its pins stay what they are.
 */
async function recordUnended(
  parts: ListedParts,
  mode: 'hold' | 'flag',
  { call, payload }: Listing,
  judged: Judged,
  why: string,
): Promise<void> {
  const { book, recorder } = parts;
  const isPinned = (book.server(judged.server)?.row.pinned_ms ?? null) !== null;
  const { shim_id: shimId } = payload;
  const about = { shimId, server: judged.server, mode };
  if (!isPinned) await record(parts, mode, { call, payload }, judged, why);
  else await recorder.append({ entries: [unendedEntry(call, about, why)] });
}

function pageOf(run: Run, payload: ToolsListedPayload, read: readonly (ToolDefinition | undefined)[]): Page {
  const { shim_id: shimId, server_name: server, epoch, cursor, next, apart } = payload;
  return {
    owner: JSON.stringify([run.id, shimId, server]),
    epoch,
    cursor,
    next,
    apart: apart === true,
    tools: read.filter((tool) => tool !== undefined),
  };
}

function answer(leaveOut: ReadonlySet<number>): Outcome {
  return success({ leave_out: [...leaveOut] });
}

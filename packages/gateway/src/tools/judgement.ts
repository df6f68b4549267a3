import { isJsonObject, parseJson, type JsonObject } from '@subluminal/core-types';
import type { Held, KnownServer, Namesake, ToolBook } from './book.js';
import { differingMembers, type ToolDefinition } from './definition.js';
import type { PinLimits } from './limits.js';
import type { OpenList } from './pages.js';
import type { HeldRow, PinChange, PinRow, ServerRow } from './pin-store.js';
import { reasonData, type Reason } from './reason.js';

/** How a server was started. */
export interface Command {
  readonly argvHash: string;
  readonly programHash: string | undefined;
}

/** A page to be judged, and the list that it belongs to. */
export interface Judged {
  readonly server: string;
  readonly command: Command;
  readonly page: readonly ToolDefinition[];
  readonly list: OpenList;
  /** The page ends its list. */
  readonly complete: boolean;
  readonly now: number;
}

/** A tool that is held, with why. */
export interface Finding {
  readonly tool: ToolDefinition;
  readonly reason: Reason;
}

/** What a page means for what is known. */
export interface Judgement {
  /** Names on the page that are held, for whatever reason. */
  readonly held: ReadonlySet<string>;
  /** What is held from now on and was not before, or is something else than before. */
  readonly findings: readonly Finding[];
  /** The list is the first complete one of its server. */
  readonly first: readonly ToolDefinition[] | undefined;
  readonly vanished: readonly string[];
  readonly returned: readonly string[];
  /** Tools that are no longer held because they are what was approved, or are gone. */
  readonly released: readonly string[];
  /** Undefined where nothing changes. */
  readonly change: PinChange | undefined;
}

/** Compares a page with what is approved. Decides nothing by itself, and changes nothing. */
export function judgePage(book: ToolBook, limits: PinLimits, judged: Judged): Judgement {
  const { server, page, list, complete } = judged;
  const known = book.server(server);
  const held = new Set<string>();
  const findings = new Map<string, Finding>();
  for (const tool of page) {
    const reason = reasonOf(book, limits, judged, tool);
    if (reason === undefined) continue;
    held.add(tool.name);
    if (isNews(known?.held.get(tool.name), tool, reason)) findings.set(tool.name, { tool, reason });
  }
  if (complete)
    for (const finding of renamedBefore(book, limits, judged)) findings.set(finding.tool.name, finding);
  const isPinned = known !== undefined && known.row.pinned_ms !== null;
  const first = complete && !isPinned ? firstPins(known, list, limits) : undefined;
  const compared = complete && isPinned ? compare(known, list) : NOTHING_CHANGED;
  const released = complete ? releasable(book, limits, judged, known) : [];
  const found = [...findings.values()];
  return {
    held,
    findings: found,
    first,
    ...compared,
    released,
    change: changeOf(book, judged, { findings: found, first, ...compared, released }),
  };
}

/** Whether a tool is held for the first time, as something else than before, or for a better reason. */
function isNews(before: Held | undefined, tool: ToolDefinition, { kind }: Reason): boolean {
  if (before === undefined) return true;
  if (kind === 'duplicate') return before.reason.kind !== 'duplicate';
  return before.hash !== tool.hash || (before.reason.kind === 'new' && kind === 'renamed');
}

/** New tools of earlier pages that turn out to be renamed ones now that the list is complete. */
function renamedBefore(book: ToolBook, limits: PinLimits, judged: Judged): Finding[] {
  const found: Finding[] = [];
  for (const [name, before] of book.server(judged.server)?.held ?? []) {
    const tool = judged.list.tools.get(name);
    if (before.reason.kind !== 'new' || tool === undefined) continue;
    const reason = reasonOf(book, limits, judged, tool);
    if (reason?.kind === 'renamed' && before.hash === tool.hash) found.push({ tool, reason });
  }
  return found;
}

/** Why a tool is held; undefined where it is what was approved, or the first there is. */
function reasonOf(
  book: ToolBook,
  limits: PinLimits,
  judged: Judged,
  tool: ToolDefinition,
): Reason | undefined {
  const { server, list } = judged;
  const known = book.server(server);
  if (list.ambiguous.has(tool.name)) return { kind: 'duplicate' };
  const pinned = known?.pins.get(tool.name);
  if (pinned !== undefined && pinned.hash !== tool.hash) {
    if (tool.text.length > limits.definitionBytes) return { kind: 'too_large' };
    const held = known?.held.get(tool.name);
    if (held?.hash === tool.hash && held.reason.kind === 'changed') return held.reason;
    const before = book.definition('pinned', server, tool.name);
    return {
      kind: 'changed',
      members: before === undefined ? [] : differingMembers(before, jsonOf(tool)),
    };
  }
  if (tool.text.length > limits.definitionBytes) return { kind: 'too_large' };
  const shadowed = pinned?.beside === true ? undefined : shadowedBy(book, judged, tool);
  if (shadowed !== undefined) {
    const { tool: name } = shadowed;
    const kind = name === tool.name ? 'shadows' : 'looks_like';
    return { kind, of: { server: shadowed.server.row.server, tool: name } };
  }
  if (pinned !== undefined || known === undefined || known.row.pinned_ms === null) return undefined;
  const before = renamedFrom(known, judged, tool);
  return before === undefined ? { kind: 'new' } : { kind: 'renamed', of: { server, tool: before } };
}

/** A tool of another server that was there before and that this one is taken for. */
function shadowedBy(book: ToolBook, { server, command }: Judged, tool: ToolDefinition): Namesake | undefined {
  const since = book.server(server)?.pins.get(tool.name)?.since ?? Number.POSITIVE_INFINITY;
  return book
    .namesakes(server, tool.name)
    .find((namesake) => namesake.pinned.since < since && !isSameProgram(namesake, command, tool));
}

/**
 * One server under two names is no shadow of itself: the same command, or the same program with other arguments and
 * word for word the same tool.
 */
function isSameProgram({ server, pinned }: Namesake, command: Command, tool: ToolDefinition): boolean {
  const { argv_hash: argvHash, program_hash: programHash } = server.row;
  if (argvHash === command.argvHash) return true;
  return programHash !== null && programHash === command.programHash && pinned.hash === tool.hash;
}

/** The pinned tool that is gone and was the same but for its name. Only a complete list tells what is gone. */
function renamedFrom(known: KnownServer, judged: Judged, tool: ToolDefinition): string | undefined {
  for (const [name, pinned] of known.pins) {
    const gone = judged.complete ? !judged.list.tools.has(name) : pinned.missing;
    if (gone && pinned.shape === tool.shape) return name;
  }
  return undefined;
}

/** What the first complete list pins: everything that can be approved. A shadow is pinned and held as well. */
function firstPins(known: KnownServer | undefined, list: OpenList, limits: PinLimits): ToolDefinition[] {
  return [...list.tools.values()].filter(
    ({ name, text }) =>
      !list.ambiguous.has(name) && text.length <= limits.definitionBytes && known?.pins.has(name) !== true,
  );
}

function compare(known: KnownServer, list: OpenList): { vanished: string[]; returned: string[] } {
  const vanished: string[] = [];
  const returned: string[] = [];
  for (const [name, { missing }] of known.pins) {
    const there = list.tools.has(name);
    if (there && missing) returned.push(name);
    if (!there && !missing) vanished.push(name);
  }
  return { vanished, returned };
}

/** Held tools that a complete list has as they were approved, or has no longer. */
function releasable(
  book: ToolBook,
  limits: PinLimits,
  judged: Judged,
  known: KnownServer | undefined,
): string[] {
  if (known === undefined) return [];
  const { list } = judged;
  return [...known.held.keys()].filter((name) => {
    const tool = list.tools.get(name);
    return tool === undefined || reasonOf(book, limits, judged, tool) === undefined;
  });
}

function changeOf(
  book: ToolBook,
  { server, command, complete, now }: Judged,
  facts: Pick<Judgement, 'findings' | 'first' | 'vanished' | 'returned' | 'released'>,
): PinChange | undefined {
  const { findings, first = [], vanished, returned, released } = facts;
  const known = book.server(server);
  const row: ServerRow = {
    server,
    pinned_ms: known?.row.pinned_ms ?? (complete ? now : null),
    // How it was started last, as far as a whole list was seen of that.
    argv_hash: complete || known === undefined ? command.argvHash : known.row.argv_hash,
    program_hash: complete || known === undefined ? (command.programHash ?? null) : known.row.program_hash,
  };
  const { nextSince: since } = book;
  const pins = first.map((tool): PinRow => ({ ...keysOf(server, tool), since, missing: 0, beside: 0 }));
  const held = findings.map(({ tool, reason }): HeldRow => ({
    ...keysOf(server, tool),
    definition: reason.kind === 'too_large' ? '{}' : tool.text,
    reason: JSON.stringify(reasonData(reason)),
    held_ms: now,
  }));
  const isSameRow = known !== undefined && sameRow(known.row, row);
  const isEmpty = [pins, held, vanished, returned, released].every(({ length }) => length === 0);
  // A server that only showed a part of its list, and nothing to hold, is not known yet.
  if (isEmpty && (isSameRow || !complete)) return undefined;
  return { server: row, pins, held, vanished, returned, released };
}

function keysOf(server: string, { name, hash, shape, text }: ToolDefinition) {
  return { server, tool: name, hash, shape, definition: text };
}

function sameRow(a: ServerRow, b: ServerRow): boolean {
  return a.pinned_ms === b.pinned_ms && a.argv_hash === b.argv_hash && a.program_hash === b.program_hash;
}

function jsonOf({ text }: ToolDefinition): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a definition is no object');
  return value;
}

const NOTHING_CHANGED = { vanished: [] as string[], returned: [] as string[] };

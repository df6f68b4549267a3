import type { Held, KnownServer, ToolBook } from './book.js';
import type { ToolDefinition } from './definition.js';
import type { PinLimits } from './limits.js';
import type { OpenList } from './pages.js';
import type { HeldRow, PinChange, PinRow, ServerRow } from './pin-store.js';
import { reasonData, type Reason } from './reason.js';
import { WhyHeld } from './why-held.js';

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
  /** Whether to find out which members of a definition differ, which takes a look into the database for each. */
  readonly detailed: boolean;
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
  const why = new WhyHeld(book, limits, judged);
  const held = new Set<string>();
  const findings = new Map<string, Finding>();
  for (const tool of page) {
    const reason = why.of(tool);
    if (reason === undefined) continue;
    held.add(tool.name);
    if (isNews(known?.held.get(tool.name), tool, reason)) findings.set(tool.name, { tool, reason });
  }
  if (complete)
    for (const finding of renamedBefore(known, list, why)) findings.set(finding.tool.name, finding);
  const isPinned = known !== undefined && known.row.pinned_ms !== null;
  const first = complete && !isPinned ? firstPins(known, list, limits) : undefined;
  const compared = complete && isPinned ? compare(known, list) : NOTHING_CHANGED;
  const released = complete ? releasable(known, list, why) : [];
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
function renamedBefore(known: KnownServer | undefined, list: OpenList, why: WhyHeld): Finding[] {
  const found: Finding[] = [];
  for (const [name, before] of known?.held ?? []) {
    const tool = list.tools.get(name);
    if (before.reason.kind !== 'new' || before.hash !== tool?.hash) continue;
    const reason = why.of(tool);
    if (reason?.kind === 'renamed') found.push({ tool, reason });
  }
  return found;
}

/** What the first complete list pins: everything that can be approved. A shadow is pinned and held as well. */
function firstPins(known: KnownServer | undefined, list: OpenList, limits: PinLimits): ToolDefinition[] {
  return [...list.tools.values()].filter(
    ({ name, bytes }) =>
      !list.ambiguous.has(name) && bytes <= limits.definitionBytes && known?.pins.has(name) !== true,
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
function releasable(known: KnownServer | undefined, list: OpenList, why: WhyHeld): string[] {
  if (known === undefined) return [];
  return [...known.held.keys()].filter((name) => {
    const tool = list.tools.get(name);
    return tool === undefined || why.of(tool) === undefined;
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

const NOTHING_CHANGED = { vanished: [] as string[], returned: [] as string[] };

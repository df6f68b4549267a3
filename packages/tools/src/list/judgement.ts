import type { Held, KnownServer, ToolBook } from '../book/book.js';
import { compareList, isFirstOfClient } from './clients.js';
import type { ToolDefinition } from '../book/definition.js';
import type { Judged } from './judged.js';
import type { PinLimits } from '../book/limits.js';
import type { OpenList } from './pages.js';
import type { ClientRow, HeldRow, PinChange, PinRow, ServerRow } from '../book/pin-store.js';
import { type Reason, reasonData } from '../book/reason.js';
import { WhyHeld } from './why-held.js';

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
  /** The tools of a first list, which are pinned from now on. */
  readonly first: readonly ToolDefinition[] | undefined;
  /** Whose first one: the server's, or that for clients which can do what this one can. */
  readonly firstOf: 'server' | 'client' | undefined;
  /** Tools of a first list that have the very name of another server's. */
  readonly shared: readonly Finding[];
  readonly vanished: readonly string[];
  readonly returned: readonly string[];
  /** Tools that are no longer held because they are what was approved, or are gone and pinned otherwise. */
  readonly released: readonly string[];
  /** Undefined where nothing changes. */
  readonly change: PinChange | undefined;
}

/** Compares a page with what is approved. Decides nothing by itself, and changes nothing. */
export function judgePage(book: ToolBook, limits: PinLimits, judged: Judged): Judgement {
  const { server, page, list, complete } = judged;
  const known = book.server(server);
  const firstOf = firstOfWhat(known, judged, limits);
  const why = new WhyHeld(book, limits, judged, firstOf === 'client');
  const held = new Set<string>();
  const findings = new Map<string, Finding>();
  for (const tool of page) {
    const reason = why.of(tool);
    if (reason === undefined) continue;
    held.add(tool.name);
    if (isNews(known?.held.get(tool.name), tool, reason)) findings.set(tool.name, { tool, reason });
  }
  if (complete)
    for (const finding of otherwiseHeld(known, list, why)) findings.set(finding.tool.name, finding);
  const first = firstOf === undefined ? undefined : firstPins(known, list, limits);
  const isCompared = complete && firstOf !== 'server' && known !== undefined;
  const compared = isCompared ? compareList(known, list, judged.client) : NOTHING_CHANGED;
  const released = complete ? releasable(known, list, why) : [];
  const found = [...findings.values()];
  return {
    held,
    findings: found,
    first,
    firstOf,
    shared: judged.detailed ? sharedNames(first, why) : [],
    ...compared,
    released,
    change: changeOf(book, judged, { findings: found, first, firstOf, ...compared, released }),
  };
}

function firstOfWhat(
  known: KnownServer | undefined,
  judged: Judged,
  limits: PinLimits,
): Judgement['firstOf'] {
  if (known === undefined || known.row.pinned_ms === null) return judged.complete ? 'server' : undefined;
  return isFirstOfClient(known, judged, limits) ? 'client' : undefined;
}

function sharedNames(first: readonly ToolDefinition[] | undefined, why: WhyHeld): Finding[] {
  return (first ?? []).flatMap((tool) => {
    const of = why.sharedWith(tool);
    return of === undefined ? [] : [{ tool, reason: { kind: 'shadows' as const, of } }];
  });
}

/** Whether a tool is held for the first time, as something else than before, or for a better reason. */
function isNews(before: Held | undefined, tool: ToolDefinition, { kind }: Reason): boolean {
  if (before === undefined) return true;
  if (kind === 'duplicate') return before.reason.kind !== 'duplicate';
  return before.hash !== tool.hash || (before.reason.kind === 'new' && kind === 'renamed');
}

/** Held tools that are renamed ones, or stand in it once again, as only a complete list tells. */
function otherwiseHeld(known: KnownServer | undefined, list: OpenList, why: WhyHeld): Finding[] {
  const found: Finding[] = [];
  for (const [name, before] of known?.held ?? []) {
    const tool = list.tools.get(name);
    const { kind } = before.reason;
    if (before.hash !== tool?.hash || (kind !== 'new' && kind !== 'duplicate')) continue;
    const reason = why.of(tool);
    if (reason !== undefined && (reason.kind === 'renamed' || kind === 'duplicate') && reason.kind !== kind)
      found.push({ tool, reason });
  }
  return found;
}

/** The tools that a first list pins: all that can be approved. A look-alike is pinned and held as well. */
function firstPins(known: KnownServer | undefined, list: OpenList, limits: PinLimits): ToolDefinition[] {
  return [...list.tools.values()].filter(
    ({ name, bytes }) =>
      !list.ambiguous.has(name) && bytes <= limits.definitionBytes && known?.pins.has(name) !== true,
  );
}

/**
 * Held tools that a complete list has as they were approved, or has no longer. One that is not pinned waits
 * on while it is gone: forgotten, it could come back as the first of another client.
 */
function releasable(known: KnownServer | undefined, list: OpenList, why: WhyHeld): string[] {
  if (known === undefined) return [];
  return [...known.held.keys()].filter((name) => {
    const tool = list.tools.get(name);
    return tool === undefined ? known.pins.has(name) : why.of(tool) === undefined;
  });
}

function changeOf(
  book: ToolBook,
  { server, command, client, complete, now }: Judged,
  facts: Pick<Judgement, 'findings' | 'first' | 'firstOf' | 'vanished' | 'returned' | 'released'>,
): PinChange | undefined {
  const { findings, first = [], firstOf, vanished, returned, released } = facts;
  const known = book.server(server);
  const row: ServerRow = {
    server,
    pinned_ms: known?.row.pinned_ms ?? (complete ? now : null),
    // How it was started last, as far as a whole list was seen of that.
    argv_hash: complete || known === undefined ? command.argvHash : known.row.argv_hash,
    program_hash: complete || known === undefined ? (command.programHash ?? null) : known.row.program_hash,
  };
  const since = sinceOf(book, known?.clients.get(client), firstOf);
  const pins = first.map((tool): PinRow => ({
    ...keysOf(server, tool),
    since,
    missing: 0,
    beside: 0,
    raised: tool.raised,
  }));
  const held = findings.map(({ tool, reason }): HeldRow => ({
    ...keysOf(server, tool),
    definition: reason.kind === 'too_large' ? '{}' : tool.text,
    raised: reason.kind === 'too_large' ? [] : tool.raised,
    reason: JSON.stringify(reasonData(reason)),
    held_ms: now,
  }));
  // Pins from before clients were told apart belong to the first client that comes.
  const isNewClient = complete ? firstOf !== undefined || known?.clients.size === 0 : pins.length > 0;
  const newClient: ClientRow | undefined =
    isNewClient && known?.clients.has(client) !== true
      ? { server, client, since: pins.length === 0 ? 0 : since }
      : undefined;
  const isSameRow = known !== undefined && sameRow(known.row, row) && newClient === undefined;
  const isEmpty = [pins, held, vanished, returned, released].every(({ length }) => length === 0);
  // A server that only showed a part of its list, and nothing to hold, is not known yet.
  if (isEmpty && (isSameRow || !complete)) return undefined;
  return { server: row, client: newClient, pins, held, vanished, returned, released };
}

/**
 * The pages of one first list pin with one number, unless others pinned meanwhile: theirs were there first.
 */
function sinceOf(book: ToolBook, own: number | undefined, firstOf: Judgement['firstOf']): number {
  return firstOf === 'client' && own === book.nextSince - 1 ? own : book.nextSince;
}

function keysOf(server: string, { name, hash, shape, text }: ToolDefinition) {
  return { server, tool: name, hash, shape, definition: text };
}

function sameRow(a: ServerRow, b: ServerRow): boolean {
  return a.pinned_ms === b.pinned_ms && a.argv_hash === b.argv_hash && a.program_hash === b.program_hash;
}

const NOTHING_CHANGED = { vanished: [] as string[], returned: [] as string[] };

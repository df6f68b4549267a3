import { canonicalize, redact, sha256Hex, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Call } from '@subluminal/gateway';
import type { ToolDefinition } from '../book/definition.js';
import type { Finding, Judgement } from '../list/judgement.js';
import { type Reason, reasonData } from '../book/reason.js';

/** An entry names at most so many tools; the hash over all of them stands beside. */
const MAX_NAMED = 128;
/** Where an entry is about a list and not about one tool. */
const LIST = 'mcp:tools/list';

/** Whose list an entry is about. */
export interface ListAbout {
  readonly shimId: string;
  readonly server: string;
  readonly mode: 'hold' | 'flag';
  /** Why nobody waits for the rest of it. */
  readonly unended?: string | undefined;
}

/** What a page changes, as entries; none where it changes nothing. */
export function listEntries(call: Call, about: ListAbout, judgement: Judgement): EntryInput[] {
  const { findings, first, firstOf, shared, vanished, returned, released } = judgement;
  const entries: EntryInput[] = [];
  const base = baseOf(call, about);
  if (firstOf === 'server' && first !== undefined) {
    entries.push(
      entry(call, 'tools_pinned', about.server, LIST, {
        ...base,
        change: 'first',
        ...(about.unended === undefined ? {} : { unended: about.unended }),
        ...pinnedData(first),
        ...sharedData(shared),
      }),
    );
  } else if (vanished.length + returned.length + released.length > 0) {
    entries.push(
      entry(call, 'tools_pinned', about.server, LIST, {
        ...base,
        change: 'list',
        ...named('vanished', vanished),
        ...named('returned', returned),
        ...named('released', released),
      }),
    );
  }
  if (firstOf === 'client' && first !== undefined && first.length > 0) {
    const added = { change: 'client', ...pinnedData(first), ...sharedData(shared) };
    entries.push(entry(call, 'tools_pinned', about.server, LIST, { ...base, ...added }));
  }
  if (findings.length > 0) {
    const [only] = findings;
    const tool = findings.length === 1 && only !== undefined ? only.tool.name : LIST;
    entries.push(
      entry(call, 'tools_held', about.server, tool, { ...base, mode: about.mode, ...heldData(findings) }),
    );
  }
  return entries;
}

/**
 * `tools_pinned` with `change: unended`: the list of a server that was pinned before has no end, and was
 * refused.
 */
export function unendedEntry(call: Call, about: ListAbout, why: string): EntryInput {
  const data = { ...baseOf(call, about), change: 'unended', unended: why };
  return entry(call, 'tools_pinned', about.server, LIST, data);
}

function baseOf(call: Call, { server, shimId }: ListAbout): JsonObject {
  return { req: call.requestFields, server_name: redact(server).text, shim: shimId };
}

/** `tools_approved`: the operator took these definitions. */
export function approvedEntry(
  call: Call,
  server: string,
  approved: readonly { readonly tool: string; readonly hash: string; readonly before: string | undefined }[],
): EntryInput {
  return {
    type: 'tools_approved',
    ts: call.now,
    runId: null,
    tool: [server, LIST],
    data: {
      req: call.requestFields,
      server_name: redact(server).text,
      count: approved.length,
      tools: approved.slice(0, MAX_NAMED).map(({ tool, hash, before }) => ({
        tool: redact(tool).text,
        hash,
        ...(before === undefined ? {} : { previous_hash: before }),
      })),
    },
  };
}

function entry(
  call: Call,
  type: 'tools_pinned' | 'tools_held',
  server: string,
  tool: string,
  data: JsonObject,
): EntryInput {
  return { type, ts: call.now, runId: call.runId, tool: [server, tool], data };
}

function pinnedData(tools: readonly ToolDefinition[]): JsonObject {
  const pairs = tools.map(({ name, hash }) => [name, hash] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    count: tools.length,
    /** Over all pairs of name and hash, so that one value stands for the whole list. */
    list_hash: sha256Hex(canonicalize(pairs)),
    tools: pairs.slice(0, MAX_NAMED).map(([name, hash]) => ({ tool: redact(name).text, hash })),
  };
}

/** Names that another server had before; nothing is held for that. */
function sharedData(shared: readonly Finding[]): JsonObject {
  if (shared.length === 0) return {};
  const tools = shared.slice(0, MAX_NAMED).map(({ tool, reason }) => ({
    tool: redact(tool.name).text,
    ...shownReason(reason),
  }));
  return { shared: { count: shared.length, tools } };
}

function heldData(findings: readonly Finding[]): JsonObject {
  return {
    count: findings.length,
    tools: findings.slice(0, MAX_NAMED).map(({ tool, reason }) => ({
      tool: redact(tool.name).text,
      hash: tool.hash,
      reason: shownReason(reason),
    })),
  };
}

/** Each name for itself: of a JSON text that is redacted as a whole no JSON may be left. */
function shownReason({ kind, members, of }: Reason): JsonObject {
  const shown = (name: string): string => redact(name).text;
  return reasonData({
    kind,
    ...(members === undefined ? {} : { members: members.map(shown) }),
    ...(of === undefined ? {} : { of: { server: shown(of.server), tool: shown(of.tool) } }),
  });
}

function named(key: string, names: readonly string[]): Record<string, JsonValue> {
  if (names.length === 0) return {};
  const shown = names.slice(0, MAX_NAMED).map((name) => redact(name).text);
  return { [key]: { count: names.length, tools: shown } };
}

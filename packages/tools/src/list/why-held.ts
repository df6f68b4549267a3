import { isJsonObject, parseJson, type JsonObject } from '@subluminal/core-types';
import type { KnownServer, Namesake, ToolBook } from '../book/book.js';
import { type ToolDefinition, differingMembers } from '../book/definition.js';
import type { Command, Judged } from './judged.js';
import type { PinLimits } from '../book/limits.js';
import type { Reason } from '../book/reason.js';

/** Says of each tool of a page why it is held. */
export class WhyHeld {
  readonly #book: ToolBook;
  readonly #limits: PinLimits;
  readonly #judged: Judged;
  readonly #known: KnownServer | undefined;
  /** Tools that are not pinned are trusted, because they are the first that there are. */
  readonly #isFirst: boolean;
  /** Pinned tools that are gone, by what they are but for their names. */
  #gone: ReadonlyMap<string, string> | undefined;

  constructor(book: ToolBook, limits: PinLimits, judged: Judged, isFirstOfClient: boolean) {
    this.#book = book;
    this.#limits = limits;
    this.#judged = judged;
    this.#known = book.server(judged.server);
    this.#isFirst = isFirstOfClient || this.#known === undefined || this.#known.row.pinned_ms === null;
  }

  /** Undefined where it is what was approved, or the first there is. */
  of(tool: ToolDefinition): Reason | undefined {
    if (this.#judged.list.ambiguous.has(tool.name)) return { kind: 'duplicate' };
    if (tool.bytes > this.#limits.definitionBytes) return { kind: 'too_large' };
    const pinned = this.#known?.pins.get(tool.name);
    if (pinned !== undefined && pinned.hash !== tool.hash) return this.#changed(tool);
    const others = pinned?.beside === true ? [] : this.#namesakes(tool, pinned?.since);
    if (pinned !== undefined || this.#known === undefined || this.#isFirst) return imitation(tool, others);
    const [other] = others;
    if (other !== undefined)
      return { kind: other.tool === tool.name ? 'shadows' : 'looks_like', of: nameOf(other) };
    const before = this.#goneTools(this.#known).get(tool.shape);
    if (before === undefined) return { kind: 'new' };
    return { kind: 'renamed', of: { server: this.#judged.server, tool: before } };
  }

  /** The tool of another server that was there before under the very name. */
  sharedWith(tool: ToolDefinition): Reason['of'] {
    const other = this.#namesakes(tool).find((one) => one.tool === tool.name);
    return other === undefined ? undefined : nameOf(other);
  }

  #changed(tool: ToolDefinition): Reason {
    const held = this.#known?.held.get(tool.name);
    if (held?.hash === tool.hash && held.reason.kind === 'changed') return held.reason;
    if (!this.#judged.detailed) return { kind: 'changed' };
    const before = this.#book.definition('pinned', this.#judged.server, tool.name);
    return { kind: 'changed', members: before === undefined ? [] : differingMembers(before, jsonOf(tool)) };
  }

  /** Tools of other servers that were there before, and that this one may be taken for. */
  #namesakes(tool: ToolDefinition, since = Number.POSITIVE_INFINITY): Namesake[] {
    const { server, command } = this.#judged;
    return this.#book
      .namesakes(server, tool.name)
      .filter((namesake) => namesake.pinned.since < since && !isSameProgram(namesake, command, tool));
  }

  /** Only a complete list tells what is gone. */
  #goneTools(known: KnownServer): ReadonlyMap<string, string> {
    if (this.#gone !== undefined) return this.#gone;
    const { complete, list } = this.#judged;
    const gone = new Map<string, string>();
    for (const [name, { shape, missing }] of known.pins) {
      if (complete ? !list.tools.has(name) : missing) gone.set(shape, name);
    }
    this.#gone = gone;
    return gone;
  }
}

/**
 * One server under two names is no shadow of itself: the same command, or the same program with other
 * arguments and word for word the same tool.
 */
function isSameProgram({ server, pinned }: Namesake, command: Command, tool: ToolDefinition): boolean {
  const { argv_hash: argvHash, program_hash: programHash } = server.row;
  if (argvHash === command.argvHash) return true;
  return programHash !== null && programHash === command.programHash && pinned.hash === tool.hash;
}

/**
 * Finds the tool that this one imitates. Many servers have a `search`: the very name of another's tool, from
 * the first list on, is no imitation. Another spelling of one is, unless a server has that spelling rightly.
 */
function imitation(tool: ToolDefinition, others: readonly Namesake[]): Reason | undefined {
  const imitated = others.find((other) => other.tool !== tool.name);
  const isShared = others.some((other) => other.tool === tool.name && !isImitation(other));
  return imitated === undefined || isShared ? undefined : { kind: 'looks_like', of: nameOf(imitated) };
}

function isImitation({ server, tool }: Namesake): boolean {
  return server.held.get(tool)?.reason.kind === 'looks_like';
}

function nameOf({ server, tool }: Namesake): { readonly server: string; readonly tool: string } {
  return { server: server.row.server, tool };
}

function jsonOf({ text }: ToolDefinition): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a definition is no object');
  return value;
}

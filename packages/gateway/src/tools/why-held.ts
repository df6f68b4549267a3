import { isJsonObject, parseJson, type JsonObject } from '@subluminal/core-types';
import type { KnownServer, Namesake, ToolBook } from './book.js';
import { differingMembers, type ToolDefinition } from './definition.js';
import type { Command, Judged } from './judgement.js';
import type { PinLimits } from './limits.js';
import type { Reason } from './reason.js';

/** Says of each tool of a page why it is held. */
export class WhyHeld {
  readonly #book: ToolBook;
  readonly #limits: PinLimits;
  readonly #judged: Judged;
  readonly #known: KnownServer | undefined;
  /** Pinned tools that are gone, by what they are but for their names. */
  #gone: ReadonlyMap<string, string> | undefined;

  constructor(book: ToolBook, limits: PinLimits, judged: Judged) {
    this.#book = book;
    this.#limits = limits;
    this.#judged = judged;
    this.#known = book.server(judged.server);
  }

  /** Undefined where it is what was approved, or the first there is. */
  of(tool: ToolDefinition): Reason | undefined {
    if (this.#judged.list.ambiguous.has(tool.name)) return { kind: 'duplicate' };
    if (tool.bytes > this.#limits.definitionBytes) return { kind: 'too_large' };
    const pinned = this.#known?.pins.get(tool.name);
    if (pinned !== undefined && pinned.hash !== tool.hash) return this.#changed(tool);
    const shadow = pinned?.beside === true ? undefined : this.#shadow(tool, pinned?.since);
    if (shadow !== undefined || pinned !== undefined) return shadow;
    if (this.#known === undefined || this.#known.row.pinned_ms === null) return undefined;
    const before = this.#goneTools(this.#known).get(tool.shape);
    if (before === undefined) return { kind: 'new' };
    return { kind: 'renamed', of: { server: this.#judged.server, tool: before } };
  }

  #changed(tool: ToolDefinition): Reason {
    const held = this.#known?.held.get(tool.name);
    if (held?.hash === tool.hash && held.reason.kind === 'changed') return held.reason;
    if (!this.#judged.detailed) return { kind: 'changed' };
    const before = this.#book.definition('pinned', this.#judged.server, tool.name);
    return { kind: 'changed', members: before === undefined ? [] : differingMembers(before, jsonOf(tool)) };
  }

  /** A tool of another server that was there before, and that this one is taken for. */
  #shadow(tool: ToolDefinition, since = Number.POSITIVE_INFINITY): Reason | undefined {
    const { server, command } = this.#judged;
    const found = this.#book
      .namesakes(server, tool.name)
      .find((namesake) => namesake.pinned.since < since && !isSameProgram(namesake, command, tool));
    if (found === undefined) return undefined;
    const kind = found.tool === tool.name ? 'shadows' : 'looks_like';
    return { kind, of: { server: found.server.row.server, tool: found.tool } };
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
 * One server under two names is no shadow of itself: the same command, or the same program with other arguments and
 * word for word the same tool.
 */
function isSameProgram({ server, pinned }: Namesake, command: Command, tool: ToolDefinition): boolean {
  const { argv_hash: argvHash, program_hash: programHash } = server.row;
  if (argvHash === command.argvHash) return true;
  return programHash !== null && programHash === command.programHash && pinned.hash === tool.hash;
}

function jsonOf({ text }: ToolDefinition): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a definition is no object');
  return value;
}

import { canonicalize, PROTOCOL_PREFIX, sha256Hex, type JsonObject } from '@subluminal/core-types';
import { TOOL_HELD, UNKNOWN_TOOL } from '@subluminal/policy';
import type { KnownTool, KnownTools, ToolFacts } from '@subluminal/gateway';
import type { Pinned, ToolBook } from './book/book.js';
import type { PinModes } from './pin-modes.js';
import { heldSummary } from './book/reason.js';

/**
 * Schemas that are remembered, so that a call costs no look into the database: so many, of so many bytes of
 * definitions. Parsed, one takes up to twenty times the memory of its text.
 */
const MAX_SCHEMAS = 256;
const MAX_SCHEMA_BYTES = 4_194_304;

const UNKNOWN: KnownTool = Object.freeze({ raised: Object.freeze([]) });

/** Answers for each call what is known of its tool. */
export class ToolPins implements KnownTools {
  readonly #book: ToolBook;
  readonly #modes: PinModes;
  /** Schemas by the hash of their definitions. */
  readonly #schemas = new Map<string, JsonObject | null>();
  #schemaBytes = 0;

  constructor(book: ToolBook, modes: PinModes) {
    this.#book = book;
    this.#modes = modes;
  }

  of(server: string, tool: string): KnownTool {
    const mode = this.#modes.of(server);
    if (mode === 'off' || tool.startsWith(PROTOCOL_PREFIX)) return UNKNOWN;
    const known = this.#book.server(server);
    if (known === undefined) return UNKNOWN;
    const pinned = known.pins.get(tool);
    const held = known.held.get(tool);
    const isUnknown = pinned === undefined && held === undefined && known.row.pinned_ms !== null;
    if (mode === 'hold' && (held !== undefined || isUnknown)) {
      const reason = held === undefined ? UNKNOWN_TOOL : TOOL_HELD;
      const summary = heldSummary(tool, held?.reason.kind ?? 'unknown');
      return { held: { reason, summary }, raised: union(pinned?.raised, held?.raised) };
    }
    if (pinned === undefined && held === undefined) return UNKNOWN;
    const raised = union(pinned?.raised, held?.raised);
    return pinned === undefined ? { raised } : withSchema(raised, () => this.#schemaOf(server, tool, pinned));
  }

  factsOf(server: string): ToolFacts {
    const mode = this.#modes.of(server);
    const known = mode === 'off' ? undefined : this.#book.server(server);
    if (known === undefined) return { only: null, raised: {} };
    const raised = new Map<string, readonly string[]>();
    for (const [tool, { raised: classes }] of [...known.pins, ...known.held])
      if (classes.length > 0) raised.set(tool, union(raised.get(tool), classes));
    // Of a server without a pinned list nothing is known to be fine once something is held.
    const holds = mode === 'hold' && (known.row.pinned_ms !== null || known.held.size > 0);
    const only = [...known.pins.keys()].filter((tool) => !known.held.has(tool));
    return { only: holds ? only : null, raised: Object.fromEntries(raised) };
  }

  #schemaOf(server: string, tool: string, { hash, bytes }: Pinned): JsonObject | undefined {
    const remembered = this.#schemas.get(hash);
    if (remembered !== undefined) return remembered ?? undefined;
    const definition = this.#book.definition('pinned', server, tool);
    const schema = definition?.['inputSchema'];
    const found =
      typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonObject) : null;
    // While it is approved, the database has a newer one than memory: its hash is another one.
    if (definition === undefined || sha256Hex(canonicalize(definition)) !== hash) return found ?? undefined;
    if (this.#schemas.size >= MAX_SCHEMAS || this.#schemaBytes + bytes > MAX_SCHEMA_BYTES) {
      this.#schemas.clear();
      this.#schemaBytes = 0;
    }
    this.#schemaBytes += bytes;
    this.#schemas.set(hash, found);
    return found ?? undefined;
  }
}

/** The schema is read when it is asked for, which few rules do. */
function withSchema(raised: readonly string[], read: () => JsonObject | undefined): KnownTool {
  return {
    raised,
    get inputSchema() {
      return read();
    },
  };
}

function union(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  if (b.length === 0) return a;
  return a.length === 0 ? b : [...new Set([...a, ...b])];
}

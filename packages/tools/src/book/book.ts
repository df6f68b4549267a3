import { isJsonObject, type JsonObject, nextTurn, parseJson, SublError } from '@subluminal/core-types';
import { raisedBy } from './definition.js';
import type { PinLimits } from './limits.js';
import { Looks } from './look-alike.js';
import { partsOf } from './parts.js';
import type { HeldRow, PinChange, PinRow, PinStore, ServerRow } from './pin-store.js';
import type { Reason } from './reason.js';

/** An approved definition, without its text. */
export interface Pinned {
  readonly hash: string;
  readonly shape: string;
  readonly since: number;
  readonly beside: boolean;
  readonly raised: readonly string[];
  readonly bytes: number;
  missing: boolean;
}

/** A definition that is not approved, without its text. */
export interface Held {
  readonly hash: string;
  readonly shape: string;
  readonly reason: Reason;
  readonly heldMs: number;
  readonly raised: readonly string[];
  readonly bytes: number;
  /** The operator was shown exactly this. */
  shown: boolean;
}

/** The pins and held tools of one server. */
export interface KnownServer {
  readonly row: ServerRow;
  /** Clients of which a whole list was seen: the `since` of what their first one pinned. */
  readonly clients: ReadonlyMap<string, number>;
  readonly pins: ReadonlyMap<string, Pinned>;
  readonly held: ReadonlyMap<string, Held>;
}

interface Server {
  row: ServerRow;
  readonly clients: Map<string, number>;
  readonly pins: Map<string, Pinned>;
  readonly held: Map<string, Held>;
  /** Of all its definitions. */
  bytes: number;
}

/** A pinned tool of some server. */
export interface Namesake {
  readonly server: KnownServer;
  readonly tool: string;
  readonly pinned: Pinned;
}

/**
 * Which definitions are approved and which are held, in memory but for their texts, which stay in the
 * database. A change is in the database first, and here in the next turn.
 */
export class ToolBook {
  readonly #store: PinStore;
  readonly #limits: PinLimits;
  readonly #servers = new Map<string, Server>();
  /** Pinned tools by what their names look like. */
  readonly #looks = new Map<string, Map<Server, Set<string>>>();
  readonly #lookOf = new Looks();
  #tools = 0;
  #bytes = 0;
  #since = 0;

  constructor(store: PinStore, limits: PinLimits) {
    this.#store = store;
    this.#limits = limits;
    for (const row of store.servers()) this.#servers.set(row.server, unknownServer(row));
    for (const { server, client, since } of store.clients())
      this.#servers.get(server)?.clients.set(client, since);
    for (const row of store.pins()) this.#addPin({ ...row, raised: raisedBy(parsed(row.definition)) });
    for (const row of store.held()) this.#addHeld({ ...row, raised: raisedBy(parsed(row.definition)) });
  }

  server(name: string): KnownServer | undefined {
    return this.#servers.get(name);
  }

  servers(): KnownServer[] {
    return [...this.#servers.values()].toSorted((a, b) => (a.row.server < b.row.server ? -1 : 1));
  }

  /** How many servers are known, and how many tools are held. */
  get counts(): { readonly servers: number; readonly held: number } {
    let held = 0;
    for (const server of this.#servers.values()) held += server.held.size;
    return { servers: this.#servers.size, held };
  }

  /**
   * Pinned tools of other servers whose names look like `tool`, the first there was in front: one of each
   * server, by the very name where it has that.
   */
  namesakes(server: string, tool: string): Namesake[] {
    const found: Namesake[] = [];
    for (const [known, tools] of this.#looks.get(this.#lookOf.of(tool)) ?? []) {
      if (known.row.server === server) continue;
      const [first = tool] = tools;
      const name = tools.has(tool) ? tool : first;
      const pinned = known.pins.get(name);
      if (pinned !== undefined) found.push({ server: known, tool: name, pinned });
    }
    return found.length < 2 ? found : found.toSorted((a, b) => a.pinned.since - b.pinned.since);
  }

  /**
   * Finds the look of a name that is asked for soon. The looks of a whole list would take too long in one
   * turn of the event loop.
   */
  prepare(tool: string): void {
    this.#lookOf.of(tool);
  }

  /** The number that the next pins get. */
  get nextSince(): number {
    return this.#since + 1;
  }

  /** The definition as JSON, undefined where there is none. */
  definition(state: 'pinned' | 'held', server: string, tool: string): JsonObject | undefined {
    const text = this.#store.definition(state === 'pinned' ? 'tool_pin' : 'tool_held', server, tool);
    return text === undefined ? undefined : parsed(text);
  }

  /** @throws SublError `overloaded` when there is no room for it. */
  assertRoom({ server, pins = [], held = [] }: PinChange): void {
    const known = this.#servers.get(server.server);
    if (known === undefined && this.#servers.size >= this.#limits.servers) {
      throw full(`the tools of ${this.#limits.servers} servers are remembered already`);
    }
    const newPins = pins.filter(({ tool }) => known?.pins.has(tool) !== true).length;
    const newHeld = held.filter(({ tool }) => known?.held.has(tool) !== true).length;
    if (Math.max((known?.pins.size ?? 0) + newPins, (known?.held.size ?? 0) + newHeld) > this.#limits.tools) {
      throw full(`more than ${this.#limits.tools} tools of one server`);
    }
    const bytes = [...pins, ...held].reduce((sum, { definition }) => sum + Buffer.byteLength(definition), 0);
    if ((known?.bytes ?? 0) + bytes > this.#limits.serverBytes) {
      throw full(`more than ${this.#limits.serverBytes} bytes of one server`);
    }
    if (
      this.#tools + newPins + newHeld > this.#limits.allTools ||
      this.#bytes + bytes > this.#limits.allBytes
    ) {
      throw full('too many tools of all servers together');
    }
  }

  /**
   * Makes a change in the database, a part in each turn, and here in the turn after the last: a whole list is
   * too much for one. Rejects with SublError `overloaded`.
   */
  async apply(change: PinChange): Promise<void> {
    this.assertRoom(change);
    for (const part of partsOf(change, this.#servers.get(change.server.server)?.row)) {
      this.#store.apply(part);
      await nextTurn();
    }
    const { server, client, pins = [], held = [], released = [], vanished = [], returned = [] } = change;
    const known = this.#servers.get(server.server) ?? unknownServer(server);
    this.#servers.set(server.server, known);
    known.row = server;
    if (client !== undefined) known.clients.set(client.client, client.since);
    for (const tool of released) this.#dropHeld(server.server, tool);
    for (const row of pins) this.#addPin(row);
    for (const row of held) this.#addHeld(row);
    for (const tool of vanished) this.#mark(server.server, tool, true);
    for (const tool of returned) this.#mark(server.server, tool, false);
  }

  /** Forgets a server; false where there is none. */
  forget(name: string): boolean {
    const known = this.#servers.get(name);
    if (known === undefined) return false;
    this.#store.forget(name);
    for (const tool of known.pins.keys()) this.#dropPin(known, tool);
    for (const tool of known.held.keys()) this.#dropHeld(name, tool);
    this.#servers.delete(name);
    return true;
  }

  /** A person is about to read what is held. */
  markShown(server: string, tool: string): void {
    const held = this.#servers.get(server)?.held.get(tool);
    if (held !== undefined) held.shown = true;
  }

  #addPin(row: PinRow): void {
    const known = this.#servers.get(row.server);
    if (known === undefined) return;
    this.#dropPin(known, row.tool);
    const pinned: Pinned = {
      hash: row.hash,
      shape: row.shape,
      since: row.since,
      beside: row.beside === 1,
      missing: row.missing === 1,
      raised: row.raised,
      bytes: Buffer.byteLength(row.definition),
    };
    known.pins.set(row.tool, pinned);
    this.#look(known, row.tool);
    this.#count(known, 1, pinned.bytes);
    this.#since = Math.max(this.#since, row.since);
  }

  #addHeld(row: HeldRow): void {
    const known = this.#servers.get(row.server);
    if (known === undefined) return;
    this.#dropHeld(row.server, row.tool);
    const held: Held = {
      hash: row.hash,
      shape: row.shape,
      reason: parsed(row.reason) as unknown as Reason,
      heldMs: row.held_ms,
      raised: row.raised,
      bytes: Buffer.byteLength(row.definition),
      shown: false,
    };
    known.held.set(row.tool, held);
    this.#count(known, 1, held.bytes);
  }

  #dropPin(known: Server, tool: string): void {
    const pinned = known.pins.get(tool);
    if (pinned === undefined) return;
    this.#unlook(known, tool);
    known.pins.delete(tool);
    this.#count(known, -1, -pinned.bytes);
  }

  #dropHeld(server: string, tool: string): void {
    const known = this.#servers.get(server);
    const held = known?.held.get(tool);
    if (known === undefined || held === undefined) return;
    known.held.delete(tool);
    this.#count(known, -1, -held.bytes);
  }

  #mark(server: string, tool: string, missing: boolean): void {
    const pinned = this.#servers.get(server)?.pins.get(tool);
    if (pinned !== undefined) pinned.missing = missing;
  }

  #look(known: Server, tool: string): void {
    const look = this.#lookOf.of(tool);
    const servers = this.#looks.get(look) ?? new Map<Server, Set<string>>();
    this.#looks.set(look, servers);
    const tools = servers.get(known) ?? new Set<string>();
    servers.set(known, tools);
    tools.add(tool);
  }

  #unlook(known: Server, tool: string): void {
    const look = this.#lookOf.of(tool);
    const servers = this.#looks.get(look);
    const tools = servers?.get(known);
    tools?.delete(tool);
    if (tools?.size === 0) servers?.delete(known);
    if (servers?.size === 0) this.#looks.delete(look);
  }

  #count(server: Server, tools: number, bytes: number): void {
    server.bytes += bytes;
    this.#tools += tools;
    this.#bytes += bytes;
  }
}

function unknownServer(row: ServerRow): Server {
  return { row, clients: new Map(), pins: new Map(), held: new Map(), bytes: 0 };
}

function parsed(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a stored definition is no object');
  return value;
}

function full(what: string): SublError {
  return new SublError('overloaded', `the list of tools cannot be remembered: ${what}`);
}

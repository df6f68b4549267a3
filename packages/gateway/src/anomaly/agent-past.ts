import type { Database, Statement } from 'better-sqlite3';

/** How many runs of an agent, and of an agent to one place, are compared with. */
export const PAST_RUNS = 20;
/** An agent with fewer runs has no past of its own. */
export const MIN_RUNS = 3;

const MAX_AGENTS = 256;
const MAX_PLACES = 1024;

/** What one run has sent, by place and in all, in bytes. */
export interface RunSent {
  readonly total: number;
  readonly places: ReadonlyMap<string, number>;
  /** All places that it used, as far as is remembered. */
  readonly used: Iterable<string>;
}

/**
 * The past of agents: which places they used, and what their newest runs sent. Bounded: of agents those with
 * the fewest runs are forgotten first, so that making up names drives nobody out who works here; of an
 * agent's places those used longest ago.
 */
export class AgentPast {
  readonly #db: Database;
  readonly #find: Statement<[string], { id: number; runs: number; sent: string }>;
  readonly #others: Statement<[string], number>;
  readonly #place: Statement<[string, string], { first_ms: number; sent: string }>;
  readonly #anyPlace: Statement<[string], number | null>;

  readonly #touch: Statement<[number, number, string]>;
  readonly #update: Statement<[number, string, number, string]>;

  constructor(db: Database) {
    this.#db = db;
    this.#touch = db.prepare('UPDATE agent_place SET last_ms = ? WHERE agent = ? AND place = ?');
    this.#update = db.prepare('UPDATE agent_place SET last_ms = ?, sent = ? WHERE agent = ? AND place = ?');
    this.#find = db.prepare('SELECT id, runs, sent FROM agent WHERE name = ?');
    this.#others = db
      .prepare<[string], number>('SELECT ifnull(sum(runs), 0) FROM agent WHERE name <> ?')
      .pluck();
    this.#place = db.prepare(
      'SELECT first_ms, p.sent FROM agent_place p JOIN agent ON agent.id = p.agent WHERE agent.name = ? AND place = ?',
    );
    this.#anyPlace = db
      .prepare<[string], number | null>('SELECT min(first_ms) FROM agent_place WHERE place = ?')
      .pluck();
  }

  /** How many runs of this agent that used a place are over. */
  runs(agent: string): number {
    return this.#find.get(agent)?.runs ?? 0;
  }

  /** How many those of all other agents are. */
  runsOfOthers(agent: string): number {
    return this.#others.get(agent) ?? 0;
  }

  /** When the agent used the place first, epoch ms; undefined if it never did. */
  firstUse(agent: string, place: string): number | undefined {
    return this.#place.get(agent, place)?.first_ms;
  }

  /** When anybody did. */
  firstUseOfAny(place: string): number | undefined {
    return this.#anyPlace.get(place) ?? undefined;
  }

  /**
   * The bytes that each of the agent's newest runs sent; to one place, if it is named: of those that sent
   * anything there.
   */
  sent(agent: string, place?: string): readonly number[] {
    const row = place === undefined ? this.#find.get(agent) : this.#place.get(agent, place);
    return row === undefined ? [] : numbersOf(row.sent);
  }

  /** What the newest runs of all agents sent. */
  sentByAll(): readonly number[] {
    const all = this.#db.prepare<[], string>('SELECT sent FROM agent').pluck().all();
    return all.flatMap((sent) => numbersOf(sent));
  }

  /** The agent uses these places. The first time writes; any other changes nothing. */
  use(agent: string, places: readonly string[], now: number): void {
    const isNew = places.filter((place) => this.firstUse(agent, place) === undefined);
    if (isNew.length === 0) return;
    this.#db.transaction(() => {
      const id = this.#agent(agent, now);
      const add = this.#db.prepare("INSERT OR IGNORE INTO agent_place VALUES (?, ?, ?, ?, '[]')");
      for (const place of isNew) add.run(id, place, now, now);
      this.#db
        .prepare(
          `DELETE FROM agent_place WHERE agent = ? AND place IN
             (SELECT place FROM agent_place WHERE agent = ? ORDER BY last_ms DESC, place LIMIT -1 OFFSET ?)`,
        )
        .run(id, id, MAX_PLACES);
    })();
  }

  /** A run of the agent that used places is over. */
  ended(agent: string, { total, places, used }: RunSent, now: number): void {
    this.#db.transaction(() => {
      const id = this.#agent(agent, now);
      this.#db
        .prepare('UPDATE agent SET runs = runs + 1, last_ms = ?, sent = ? WHERE id = ?')
        .run(now, added(this.sent(agent), total), id);
      for (const place of used) this.#touch.run(now, id, place);
      for (const [place, bytes] of places)
        this.#update.run(now, added(this.sent(agent, place), bytes), id, place);
    })();
  }

  #agent(name: string, now: number): number {
    const known = this.#find.get(name);
    if (known !== undefined) return known.id;
    const { lastInsertRowid } = this.#db
      .prepare("INSERT INTO agent VALUES (NULL, ?, 0, ?, '[]')")
      .run(name, now);
    const forgotten = `SELECT id FROM agent WHERE name <> ? ORDER BY runs DESC, last_ms DESC LIMIT -1 OFFSET ${MAX_AGENTS - 1}`;
    this.#db.prepare(`DELETE FROM agent_place WHERE agent IN (${forgotten})`).run(name);
    this.#db.prepare(`DELETE FROM agent WHERE id IN (${forgotten})`).run(name);
    return Number(lastInsertRowid);
  }
}

function added(sent: readonly number[], bytes: number): string {
  return JSON.stringify([...sent, bytes].slice(-PAST_RUNS));
}

/** What is not of this form was not written by us: then there is nothing to compare with. */
function numbersOf(text: string): readonly number[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'number').slice(-PAST_RUNS) : [];
  } catch {
    return [];
  }
}

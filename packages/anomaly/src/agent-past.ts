import type { Database, Statement } from 'better-sqlite3';

/** An agent with fewer runs has no past of its own. */
export const MIN_RUNS = 3;

const MAX_AGENTS = 256;
const MAX_PLACES = 1024;

/**
 * The past of agents: how many runs they had, and which places they used. Bounded: of agents those with
 * the fewest runs are forgotten first, so that making up names drives nobody out who works here; of an
 * agent's places those used longest ago.
 */
export class AgentPast {
  readonly #db: Database;
  readonly #find: Statement<[string], { id: number; runs: number }>;
  readonly #others: Statement<[string], number>;
  readonly #place: Statement<[string, string], { first_ms: number }>;
  readonly #anyPlace: Statement<[string], number | null>;

  readonly #touch: Statement<[number, number, string]>;

  constructor(db: Database) {
    this.#db = db;
    this.#touch = db.prepare('UPDATE agent_place SET last_ms = ? WHERE agent = ? AND place = ?');
    this.#find = db.prepare('SELECT id, runs FROM agent WHERE name = ?');
    this.#others = db
      .prepare<[string], number>('SELECT ifnull(sum(runs), 0) FROM agent WHERE name <> ?')
      .pluck();
    this.#place = db.prepare(
      'SELECT first_ms FROM agent_place p JOIN agent ON agent.id = p.agent WHERE agent.name = ? AND place = ?',
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
  ended(agent: string, used: Iterable<string>, now: number): void {
    this.#db.transaction(() => {
      const id = this.#agent(agent, now);
      this.#db.prepare('UPDATE agent SET runs = runs + 1, last_ms = ? WHERE id = ?').run(now, id);
      for (const place of used) this.#touch.run(now, id, place);
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

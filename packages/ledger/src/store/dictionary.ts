import type { Database, Statement } from 'better-sqlite3';
import { RecentMap } from '../recent/recent-map.js';

/** `dict.kind`: what a name names. */
export const DICT_KINDS = { run: 1, tool: 2, action: 3 } as const;

const CACHED_NAMES = 4096;
const CACHED_LENGTH = 512;

/**
 * Numbers for run ids, tools and actions. The name is the JSON text as it stands in the bodies, so each
 * number is proved by every body that carries the name.
 */
export class Dictionary {
  readonly #find: Statement<[number, string], number>;
  readonly #insert: Statement<[number, number, string]>;
  /** One a kind, by `dict.kind`. */
  readonly #cache = [0, 1, 2, 3].map(() => new RecentMap<string, number>(CACHED_NAMES));
  #lastId: number;

  constructor(db: Database) {
    this.#find = db.prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?').pluck();
    this.#insert = db.prepare('INSERT INTO dict(id, kind, name) VALUES(?,?,?)');
    this.#lastId = db.prepare<[], number>('SELECT coalesce(max(id),0) FROM dict').pluck().get() ?? 0;
  }

  /** The number of a name, or undefined where it has none yet. */
  find(kind: number, name: string): number | undefined {
    const cached = this.#cache[kind]?.get(name);
    if (cached !== undefined) return cached;
    const id = this.#find.get(kind, name);
    if (id !== undefined) this.#remember(kind, name, id);
    return id;
  }

  /**
   * The number of a name; gives it the next one where it has none. Call inside the transaction that uses it.
   */
  intern(kind: number, name: string): number {
    const known = this.find(kind, name);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#insert.run(this.#lastId, kind, name);
    this.#remember(kind, name, this.#lastId);
    return this.#lastId;
  }

  #remember(kind: number, name: string, id: number): void {
    if (name.length <= CACHED_LENGTH) this.#cache[kind]?.set(name, id);
  }
}

/** The dict kind of a tool's JSON text: `["server","tool"]` is a tool, `"name"` an action. */
export function dictKindOfTool(tool: string): number {
  return tool.startsWith('[') ? DICT_KINDS.tool : DICT_KINDS.action;
}

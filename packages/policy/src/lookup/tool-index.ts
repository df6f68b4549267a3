import type { Pattern } from '../pattern/pool.js';
import type { CompiledRule } from '../snapshot/rule.js';
import { NameIndex } from './name-index.js';

/**
 * The rules that can match a tool by its names, in their order; those that match any name stand in `always`.
 */
export type Candidates = readonly CompiledRule[];

/** So many places of rules are remembered in all; names are invented by agents. */
const MAX_REMEMBERED = 131_072;
/** The room that a remembered tool takes besides. */
const NAME_COST = 16;

/**
 * Finds the rules that can match a tool. Findings are remembered; the names that were asked for longest
 * ago are forgotten first. A tool that was never asked for costs what its names share with the patterns, not
 * all patterns.
 */
export class ToolIndex {
  /** Rules that match whatever the names are. */
  readonly always: Candidates;
  /** Rules that name servers and tools, and those that name servers alone. */
  readonly #servers: NameSide;
  readonly #serverOnly: NameSide;
  readonly #tools: NameSide;
  #young = new Map<string, Candidates>();
  #old = new Map<string, Candidates>();
  #remembered = 0;

  constructor(rules: readonly CompiledRule[]) {
    const enabled = rules.filter((rule) => rule.enabled);
    this.always = enabled.filter(({ server, tool }) => server === undefined && tool === undefined);
    const both = enabled.filter(({ tool }) => tool !== undefined);
    const serverOnly = enabled.filter(({ tool }) => tool === undefined);
    this.#servers = new NameSide(both, ({ serverPatterns }) => serverPatterns);
    this.#serverOnly = new NameSide(serverOnly, ({ serverPatterns }) => serverPatterns);
    this.#tools = new NameSide(enabled, ({ toolPatterns }) => toolPatterns);
  }

  /** The rules besides `always`; `key` tells the tool of a server from all others. */
  candidates(server: string, tool: string, key: string): Candidates {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const found = this.#old.get(key) ?? this.#find(server, tool);
    if (this.#remembered > MAX_REMEMBERED) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#remembered = 0;
    }
    this.#young.set(key, found);
    this.#remembered += found.length + NAME_COST;
    return found;
  }

  #find(server: string, tool: string): Candidates {
    const byServer = this.#servers.matching(server);
    const found = [...this.#serverOnly.matching(server)];
    for (const rule of this.#tools.matching(tool)) {
      if (rule.server === undefined || byServer.has(rule)) found.push(rule);
    }
    return found.toSorted((a, b) => a.at - b.at);
  }
}

/** For how many names each side remembers what they match: a run has few servers. */
const MAX_NAMES = 32;

/** The rules that name servers, or those that name tools. */
class NameSide {
  readonly #index: NameIndex;
  readonly #rules = new Map<Pattern, CompiledRule[]>();
  readonly #remembered = new Map<string, ReadonlySet<CompiledRule>>();

  constructor(rules: readonly CompiledRule[], side: (rule: CompiledRule) => readonly Pattern[] | undefined) {
    for (const rule of rules) {
      for (const pattern of side(rule) ?? []) {
        const known = this.#rules.get(pattern);
        if (known === undefined) this.#rules.set(pattern, [rule]);
        else known.push(rule);
      }
    }
    this.#index = new NameIndex([...this.#rules.keys()]);
  }

  matching(name: string): ReadonlySet<CompiledRule> {
    const known = this.#remembered.get(name);
    if (known !== undefined) return known;
    const found = new Set<CompiledRule>();
    for (const pattern of this.#index.matching(name)) {
      for (const rule of this.#rules.get(pattern) ?? []) found.add(rule);
    }
    if (this.#remembered.size >= MAX_NAMES) this.#remembered.clear();
    this.#remembered.set(name, found);
    return found;
  }
}

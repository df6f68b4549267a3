import type { CompiledRule } from '../snapshot/rule.js';

/** The rules that can match one tool of one server, in their order. */
export type Candidates = readonly CompiledRule[];

/** So many places of rules are remembered in all; names are invented by agents. */
const MAX_REMEMBERED = 131_072;

/**
 * Finds the rules that can match a tool, without asking the others twice: what was found is remembered, the names that
 * were asked for longest ago are forgotten first.
 */
export class ToolIndex {
  readonly #rules: readonly CompiledRule[];
  #young = new Map<string, Candidates>();
  #old = new Map<string, Candidates>();
  #remembered = 0;

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules.filter(({ enabled }) => enabled);
  }

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
    this.#remembered += found.length + 16;
    return found;
  }

  #find(server: string, tool: string): Candidates {
    return this.#rules.filter((rule) => (rule.server?.(server) ?? true) && (rule.tool?.(tool) ?? true));
  }
}

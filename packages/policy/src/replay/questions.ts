import { looksAtObjects } from '../lint/covers.js';
import { possibleArgs, type Possible } from './possible-args.js';
import type { PlainRule } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/** One rule that may concern a tool. */
export interface RuleOfTool {
  readonly rule: PlainRule;
  /** Its place in the policy. */
  readonly index: number;
}

/** The questions of a policy to the calls of one tool. */
export interface ToolQuestions {
  /** The enabled rules whose names match, in their order. */
  readonly rules: readonly RuleOfTool[];
  /** For each argument that they look at, one value of each kind that they can tell apart. */
  readonly args: ReadonlyMap<string, readonly Possible[]>;
  /** Some rule looks at the objects of the call. */
  readonly objects: boolean;
}

/** Tools whose questions are kept; beyond, they are found anew. */
const MAX_TOOLS = 1024;

/**
 * The questions of a policy to arguments, tool by tool: of each argument only those that some rule can tell
 * apart.
 */
export class Questions {
  readonly #snapshot: PolicySnapshot;
  readonly #tools = new Map<string, ToolQuestions>();

  constructor(snapshot: PolicySnapshot) {
    this.#snapshot = snapshot;
  }

  of(server: string, tool: string): ToolQuestions {
    const name = JSON.stringify([server, tool]);
    const known = this.#tools.get(name);
    if (known !== undefined) return known;
    const rules = this.#rulesOf(server, tool);
    const found = {
      rules,
      args: possibleArgs(rules.map(({ rule }) => rule)),
      objects: rules.some(({ rule }) => looksAtObjects(rule.match)),
    };
    if (this.#tools.size < MAX_TOOLS) this.#tools.set(name, found);
    return found;
  }

  #rulesOf(server: string, tool: string): readonly RuleOfTool[] {
    const { plain, rules } = this.#snapshot;
    return plain.rules.flatMap((rule, index) => {
      const compiled = rules[index];
      if (compiled?.enabled !== true) return [];
      const matches = compiled.server?.(server) !== false && compiled.tool?.(tool) !== false;
      return matches ? [{ rule, index }] : [];
    });
  }
}

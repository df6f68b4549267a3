import { existsSync, readFileSync, realpathSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { compilePolicy, decide, PolicyState, type PolicySnapshot } from '@subluminal/policy';
import { NO_KEYS, readCall, type Place, type Readings } from '@subluminal/readings';

/** A call as the starters are asked about it. */
export interface Asked {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** One of the policies that come with Subluminal. */
export class Starter {
  readonly source: string;
  readonly #snapshot: PolicySnapshot;
  readonly #env: 'ci' | 'dev';

  constructor(name: string) {
    const filename = `${name}.yaml`;
    this.source = readFileSync(new URL(`../../policies/${filename}`, import.meta.url), 'utf8');
    const result = compilePolicy(this.source, { filename });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    this.#snapshot = result.snapshot;
    this.#env = name === 'ci-strict' ? 'ci' : 'dev';
  }

  /** The decision on the first call of a run. */
  decide(
    { server, tool, args }: Asked,
    place: Place,
  ): { readonly action: string; readonly rule: string | null } {
    const readings = withLinks(readCall({ server, tool, args, keys: NO_KEYS }, place));
    const identity = { agent_id: 'a', client: 'custom', env: this.#env } as const;
    const call = { server_name: server, tool_name: tool, args, args_hash: 'a', identity, readings };
    const { action, rule_id } = decide(this.#snapshot, PolicyState.empty(), call, 1e12).decision;
    return { action, rule: rule_id };
  }
}

/** Each file also as its links lead. */
function withLinks(readings: Readings): Readings {
  const paths = readings.paths.map((one) => {
    const there = one.forms.filter((form) => existsSync(form)).map((form) => realpathSync(form));
    return { ...one, forms: [...new Set([...one.forms, ...there])] };
  });
  return { ...readings, paths };
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { argsHash, type JsonObject, type JsonValue, parseJson } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.js';
import { decide, type DecideOptions, type DecideResult, explain } from './decide/decide.js';
import type { Meter, TraceStep } from './decide/trace.js';
import type { PolicyCall } from './match/call.js';
import { chargeData, chargeFrom } from './meter/charge-data.js';
import type { CallEnd, Charge } from './meter/charge.js';
import { PolicyState } from './meter/policy-state.js';
import type { PolicySnapshot } from './snapshot/snapshot.js';

const folder = fileURLToPath(new URL('../../../vectors/policy/decide/', import.meta.url));

interface Expected {
  readonly action: string;
  readonly effective: string;
  readonly rule_id?: string | null;
  readonly reason_code?: string;
  readonly backoff_ms?: number;
  readonly retry_advice?: string;
  readonly terminate_code?: string;
  readonly hint?: JsonObject;
  readonly tags?: readonly string[];
  readonly trips?: readonly JsonObject[];
  readonly meters?: Readonly<Record<string, Meter>>;
}
interface CallStep {
  readonly now: number;
  readonly call: {
    readonly server: string;
    readonly tool: string;
    readonly args: JsonObject | null;
    readonly args_hash?: string;
    readonly raised?: readonly string[];
    readonly waivers?: DecideOptions['waivers'];
    readonly can_ask?: boolean;
    readonly raises?: DecideOptions['raises'];
    readonly input_schema?: JsonObject;
  };
  readonly expect: Expected;
}
interface EndStep {
  readonly now: number;
  readonly end: CallEnd & { readonly step: number };
}
interface RestartStep {
  readonly restart: true;
}
type Step = CallStep | EndStep | RestartStep;
interface Case {
  readonly name: string;
  readonly identity: PolicyCall['identity'];
  readonly bundle: JsonObject;
  readonly steps: readonly Step[];
}

const files = readdirSync(folder).map(
  (name) => [name, casesOf(readFileSync(`${folder}${name}`, 'utf8'))] as const,
);

describe('limits', () => {
  it.each(files)('%s', (_name, cases) => {
    for (const restartsAlways of [false, true]) {
      const asked = cases.map((vector) => run(vector, restartsAlways));
      expect(asked).not.toContain(0);
    }
  });

  it('have a vector for every kind, scope, trigger and mode', () => {
    const names = new Set(files.map(([name]) => name));
    const triggers = {
      budget: ['calls', 'cost-units', 'cost-units-from', 'write-actions', 'cost-unknown'],
      rate_limit: ['empty'],
      breaker: ['errors', 'latency', 'repeats'],
      dedupe: ['duplicate'],
    };
    for (const mode of ['observe', 'guardrails', 'control']) {
      for (const [kind, ways] of Object.entries(triggers)) {
        for (const scope of ['run', 'tool', 'server_tool']) {
          for (const way of ways) expect(names).toContain(`${kind}-${scope}-${way}-${mode}.json`);
        }
      }
      for (const rest of [
        'allow-match',
        'allow-overrides',
        'deny-match',
        'deny-hint',
        'tag-classes',
        'selectors',
        'budget-asks',
      ]) {
        expect(names).toContain(`${rest}-${mode}.json`);
      }
    }
  });
});

/** Takes the steps of a case; how many calls it asked for. */
function run({ name, identity, bundle, steps }: Case, restartsAlways: boolean): number {
  const snapshot = snapshotOf(bundle);
  let state = PolicyState.empty();
  const charges = new Map<number, Charge>();
  const restart = (): void => {
    state = PolicyState.fromJSON(JSON.parse(JSON.stringify(state)));
  };
  for (const [at, step] of steps.entries()) {
    const where = `${name}, step ${at}`;
    if (restartsAlways || 'restart' in step) restart();
    if ('end' in step) {
      const charge = charges.get(step.end.step);
      if (charge === undefined) throw new Error(`${where} ends no call`);
      state.settle(chargeFrom(chargeData(charge)), step.end, step.now);
    }
    if (!('call' in step)) continue;
    const call = callOf(step, identity);
    const { waivers = [], input_schema: inputSchema, can_ask: canAsk = false, raises } = step.call;
    const options = { waivers, inputSchema, canAsk, raises };
    const result = decide(snapshot, state, call, step.now, options);
    const { trace, ...explained } = explain(snapshot, state, call, step.now, options);
    expect(explained, where).toEqual(result);
    check(result, trace, step.expect, where);
    state.apply(result.charge, step.now);
    charges.set(at, result.charge);
  }
  return charges.size;
}

function check(result: DecideResult, trace: readonly TraceStep[], expected: Expected, where: string): void {
  const { action, effective, meters = {}, terminate_code, hint, trips, tags, ...rest } = expected;
  expect(result.decision, where).toMatchObject({ action, ...rest });
  expect(result.effective.action, where).toBe(effective);
  expect(result.decision.terminate?.terminate_code, where).toBe(terminate_code);
  if (hint === undefined) expect(result.decision.hint, where).toBeUndefined();
  else expect(result.decision.hint, where).toMatchObject(hint);
  if (trips !== undefined) expect(result.trips, where).toEqual(trips);
  if (tags !== undefined) expect(result.tags, where).toEqual(tags);
  for (const [rule, meter] of Object.entries(meters)) {
    expect(trace.find((step) => step.rule_id === rule && step.kind !== 'waiver')?.meter, where).toEqual(
      meter,
    );
  }
}

function callOf({ call }: CallStep, identity: PolicyCall['identity']): PolicyCall {
  const { server, tool, args, args_hash = args === null ? 'not inspected' : argsHash(args), raised } = call;
  return { server_name: server, tool_name: tool, args: args ?? undefined, args_hash, raised, identity };
}

function snapshotOf(bundle: JsonObject): PolicySnapshot {
  const result = compilePolicy(JSON.stringify(bundle));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

/** Read by the strict parser, so that numbers keep their exact value. The forms are what the README says. */
function casesOf(text: string): readonly Case[] {
  const file = parseJson(text) as JsonValue & { readonly cases: readonly Case[] };
  return file.cases;
}

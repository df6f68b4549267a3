import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.js';
import { decide } from './decide/decide.js';
import { PolicyState } from './meter/policy-state.js';
import { PROBLEM_CODES } from './problem/codes.js';
import type { PolicyProblem } from './problem/problem.js';

const folder = fileURLToPath(new URL('../../../vectors/policy/', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');
const shown = ({ code, line, column, path }: PolicyProblem): string =>
  `${code} ${line}:${column} ${path}`.trim();

interface ValidVector {
  readonly policy_hash: string;
  readonly warnings: readonly string[];
}
const valid: Record<string, ValidVector> = JSON.parse(read('valid.json'));
const invalid: Record<string, readonly string[]> = JSON.parse(read('invalid.json'));

describe('valid bundles', () => {
  it('are all listed', () => {
    expect(readdirSync(`${folder}valid`).toSorted()).toEqual(Object.keys(valid).toSorted());
  });

  it.each(Object.entries(valid))('%s loads with its hash and its warnings', (filename, expected) => {
    const result = compilePolicy(read(`valid/${filename}`), { filename });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(result.snapshot.policy_hash).toBe(expected.policy_hash);
    expect(result.warnings.map(shown)).toEqual(expected.warnings);
    expect(result.warnings.every(({ severity }) => severity === 'warning')).toBe(true);
  });
});

describe('invalid bundles', () => {
  it('are all listed', () => {
    expect(readdirSync(`${folder}invalid`).toSorted()).toEqual(Object.keys(invalid).toSorted());
  });

  it.each(Object.entries(invalid))('%s names every mistake in its place', (filename, expected) => {
    const result = compilePolicy(read(`invalid/${filename}`), { filename });
    if (result.ok) throw new Error('the bundle loads');
    expect(result.problems.map(shown)).toEqual(expected);
    expect(result.problems.every(({ severity }) => severity === 'error')).toBe(true);
  });

  it('say what is allowed or what to do', () => {
    for (const filename of Object.keys(invalid)) {
      const result = compilePolicy(read(`invalid/${filename}`), { filename });
      const problems = result.ok ? [] : result.problems;
      for (const problem of problems) expect(problem.help ?? '', `${filename} ${problem.code}`).not.toBe('');
    }
  });

  it('show every code together with the warnings, but for those that need large files or a machine', () => {
    const seen = [
      ...Object.values(invalid).flat(),
      ...Object.values(valid).flatMap(({ warnings }) => warnings),
    ];
    const codes = new Set(seen.map((line) => line.slice(0, line.indexOf(' '))));
    const missing = Object.keys(PROBLEM_CODES).filter((code) => !codes.has(code));
    expect(missing).toEqual(['too_large', 'too_deep', 'host_not_listed', 'world_shows_gateway']);
  });
});

interface CallVector {
  readonly server: string;
  readonly tool: string;
  readonly arg_keys?: readonly string[];
  readonly action: string;
  readonly rule_id: string | null;
  readonly reason_code?: string;
  readonly effective?: string;
  readonly tags?: readonly string[];
}
interface DecideCase {
  readonly name: string;
  readonly rules: readonly { readonly kind: string; readonly add_risk_class?: readonly string[] }[];
  readonly calls: readonly CallVector[];
  readonly defaults?: object;
  readonly mode?: string;
  readonly selectors?: object;
}

const decideText = read('decide.json');
const decideVectors: { defaults: object; mode: string; cases: readonly DecideCase[] } =
  JSON.parse(decideText);
const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;

describe('decisions', () => {
  it.each(decideVectors.cases.map((vector, at) => [vector.name, vector, at] as const))(
    '%s',
    (_name, vector, at) => {
      const result = compilePolicy(bundleOf(vector));
      if (!result.ok) throw new Error(JSON.stringify(result.problems));
      for (const [index, call] of vector.calls.entries()) {
        const args = exactArgs(at, index);
        const { decision, effective, tags } = decide(
          result.snapshot,
          PolicyState.empty(),
          {
            server_name: call.server,
            tool_name: call.tool,
            args,
            arg_keys: call.arg_keys,
            args_hash: 'hash',
            identity,
          },
          0,
        );
        const { action, rule_id, reason_code = decision.reason_code } = call;
        expect(decision, `call ${index}`).toMatchObject({ action, rule_id, reason_code });
        expect(effective.action).toBe(call.effective ?? action);
        expect(effective.reason_code).toBe(reason_code);
        expect(tags).toEqual(call.tags ?? tags);
      }
    },
  );
});

function bundleOf({ rules, defaults, mode, selectors }: DecideCase): string {
  const full = rules.map(({ add_risk_class, ...rule }) => ({
    enabled: true,
    severity: 'warn',
    effect:
      rule.kind === 'tag'
        ? { tag: { add_risk_class } }
        : { action: rule.kind === 'allow' ? 'ALLOW' : 'BLOCK', reason_code: 'RULE', message: 'because' },
    ...rule,
  }));
  return JSON.stringify({
    policy_id: 'vector',
    version: '1',
    mode: mode ?? decideVectors.mode,
    defaults: defaults ?? decideVectors.defaults,
    selectors: selectors ?? {},
    rules: full,
  });
}

/** The arguments as the strict parser reads them, so that numbers keep their exact value. */
function exactArgs(caseAt: number, callAt: number): Parameters<typeof decide>[2]['args'] {
  const file = asObject(parseJson(decideText));
  const vector = asObject(asArray(file['cases'])[caseAt]);
  const args = asObject(asArray(vector['calls'])[callAt])['args'];
  return args === null ? undefined : asObject(args);
}

type Json = ReturnType<typeof parseJson>;

function asObject(value: Json | undefined): { readonly [key: string]: Json } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not an object');
  return Object.assign(Object.create(null), value);
}

function asArray(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}

import type * as portable from '@subluminal/core-types/portable';
import * as coreTypes from '@subluminal/core-types';
import { z } from 'zod';

/** The contracts that the vectors are for, from either surface of core-types. */
type Contracts = Pick<
  typeof portable,
  | 'ACTIONS'
  | 'ActionRequest'
  | 'ActionResponse'
  | 'Credential'
  | 'Decision'
  | 'DecisionErrorData'
  | 'GatewayConfig'
  | 'PolicyBundle'
  | 'RESERVED_ERROR_CODES'
  | 'RunOpened'
  | 'SublEvent'
  | 'Ticket'
>;

const same = (kinds: readonly string[], schema: z.ZodType) => new Map(kinds.map((kind) => [kind, schema]));

/** The error object that goes to the agent: the adapter writes the code, the gateway the data. */
function errorsOf({ RESERVED_ERROR_CODES, DecisionErrorData }: Contracts): [string, z.ZodType][] {
  return Object.entries(RESERVED_ERROR_CODES).map(([action, code]) => [
    action,
    z.object({
      code: z.literal(code),
      message: z.string().min(1),
      data: DecisionErrorData.refine((data) => data.subluminal.action === action),
    }),
  ]);
}

/** Which schema of a surface reads which kind of which file of vectors/contracts. */
export function schemasOf(contracts: Contracts): Readonly<Record<string, ReadonlyMap<string, z.ZodType>>> {
  return {
    requests: same(['request'], contracts.ActionRequest),
    responses: same(['response'], contracts.ActionResponse),
    payloads: new Map(Object.entries(contracts.ACTIONS).map(([action, { payload }]) => [action, payload])),
    events: same(
      contracts.SublEvent.options.flatMap((option) => [...option.shape.type.values]),
      contracts.SublEvent,
    ),
    decisions: same(['decision'], contracts.Decision),
    'decision-errors': new Map(errorsOf(contracts)),
    'policy-bundles': same(
      ['none', 'allow', 'deny', 'budget', 'rate_limit', 'breaker', 'dedupe', 'tag'],
      contracts.PolicyBundle,
    ),
    credentials: new Map<string, z.ZodType>([
      ['credential', contracts.Credential],
      ['ticket', contracts.Ticket],
      ['run_opened', contracts.RunOpened],
    ]),
    config: same(['config'], contracts.GatewayConfig),
  };
}

/** Those of core-types as Node loads it. */
export const SCHEMAS = schemasOf(coreTypes);

/** The paths that a schema complains of; an unknown key counts as a path of its own. */
export function complaints(schema: z.ZodType, value: unknown): string[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => pathsOf(issue, []));
}

function pathsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key].join('.'));
  const inside =
    issue.code === 'invalid_union' ? issue.errors.flat().flatMap((one) => pathsOf(one, path)) : [];
  // A rule over several fields names in its message the field that is missing.
  const named = issue.code === 'custom' ? [[...path, issue.message.split(' ').at(-1) ?? ''].join('.')] : [];
  return [path.join('.'), ...inside, ...named];
}

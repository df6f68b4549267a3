import {
  ACTIONS,
  ActionRequest,
  ActionResponse,
  Credential,
  Decision,
  DecisionErrorData,
  GatewayConfig,
  PolicyBundle,
  RESERVED_ERROR_CODES,
  RunOpened,
  SublEvent,
  Ticket,
} from '@subluminal/core-types';
import { z } from 'zod';

/** The error object that goes to the agent: the adapter writes the code, the gateway the data. */
const errors = Object.entries(RESERVED_ERROR_CODES).map(([action, code]): [string, z.ZodType] => [
  action,
  z.object({
    code: z.literal(code),
    message: z.string().min(1),
    data: DecisionErrorData.refine((data) => data.subluminal.action === action),
  }),
]);

const same = (kinds: readonly string[], schema: z.ZodType) => new Map(kinds.map((kind) => [kind, schema]));

/** Which schema reads which kind of which file of vectors/contracts. */
export const SCHEMAS: Readonly<Record<string, ReadonlyMap<string, z.ZodType>>> = {
  requests: same(['request'], ActionRequest),
  responses: same(['response'], ActionResponse),
  payloads: new Map(Object.entries(ACTIONS).map(([action, { payload }]) => [action, payload])),
  events: same(
    SublEvent.options.flatMap((option) => [...option.shape.type.values]),
    SublEvent,
  ),
  decisions: same(['decision'], Decision),
  'decision-errors': new Map(errors),
  'policy-bundles': same(
    ['none', 'allow', 'deny', 'budget', 'rate_limit', 'breaker', 'dedupe', 'tag'],
    PolicyBundle,
  ),
  credentials: new Map<string, z.ZodType>([
    ['credential', Credential],
    ['ticket', Ticket],
    ['run_opened', RunOpened],
  ]),
  config: same(['config'], GatewayConfig),
};

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

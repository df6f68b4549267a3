import type { Hint, JsonObject, JsonValue } from '@subluminal/core-types';
import type { PolicyCall } from '../match/call.js';
import type { PlainHint } from '../snapshot/plain-effects.js';
import { fits } from './fits.js';
import { isSmall } from './size.js';
import { fillIn } from './template.js';

/** More arguments than these are not suggested. */
const MAX_KEYS = 4096;

/** A schema may have to be fetched and parsed. */
export interface SchemaSource {
  readonly inputSchema?: JsonObject | undefined;
}

/** The sources of a hint, besides the rule and the call. */
export interface HintParts {
  /** The rule's own words come first. */
  readonly text: string;
  readonly retryAdvice: string | null;
  /** The rest of a budget. */
  readonly remaining?: JsonValue | undefined;
  /** The tool's own description of its arguments. It is read where there is something to suggest. */
  readonly schema: SchemaSource;
}

/** The hint that a rule gives for a call. Arguments that cannot be suggested safely are null. */
export function renderHint(rule: PlainHint, call: PolicyCall, parts: HintParts): Hint {
  return {
    hint_text: rule.hint_text ?? parts.text,
    hint_kind: rule.hint_kind ?? 'OTHER',
    retry_advice: rule.retry_advice ?? parts.retryAdvice,
    suggested_args: suggestedArgs(rule, call, parts),
  };
}

function suggestedArgs(
  rule: PlainHint,
  call: PolicyCall,
  { remaining, schema }: HintParts,
): JsonObject | null {
  const { args } = call;
  const { suggested_args: template, drop_args: drop = [] } = rule;
  if (args === undefined || (template === undefined && drop.length === 0)) return null;
  const suggested: Record<string, JsonValue> = Object.create(null);
  let keys = 0;
  for (const key in args) {
    if (!Object.hasOwn(args, key) || drop.includes(key)) continue;
    keys += 1;
    if (keys > MAX_KEYS) return null;
    suggested[key] = args[key] ?? null;
  }
  for (const [key, value] of Object.entries(template ?? {})) {
    const filled = fillIn(value, { args, remaining });
    if (filled === undefined) return null;
    suggested[key] = filled;
  }
  if (!isSmall(suggested)) return null;
  const { inputSchema } = schema;
  return inputSchema === undefined || fits(suggested, inputSchema) ? suggested : null;
}

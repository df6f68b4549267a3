import { numberAt, textAt, textsAt, type JsonObject } from '@subluminal/core-types';
import { waitText } from './wait-text.js';

/** Whose policy a rule is part of: that of a project asks nobody. */
export type PolicyOf = 'home' | 'project';

/** The effect of a rule of the normal form, in a few words. */
export function effectText(rule: JsonObject, of: PolicyOf): string {
  const kind = textAt(rule, 'kind');
  const text = (key: string): string => textAt(rule, 'effect', kind, key);
  const wait = (key: string): string => waitText(numberAt(rule, 'effect', kind, key) ?? 0);
  const each = SCOPES.get(text('scope')) ?? '';
  switch (kind) {
    case 'tag':
      return `adds ${textsAt(rule, 'effect', 'tag', 'add_risk_class').join(', ')}`;
    case 'budget': {
      const limits = LIMITS.flatMap(([key, unit]) => (text(key) === '' ? [] : [`${text(key)} ${unit}`]));
      return `${limits.join(', ')} ${each}, else ${of === 'project' && text('on_exceed') === 'ASK' ? REFUSES : text('on_exceed')}`;
    }
    case 'rate_limit': {
      const refill = `${text('refill_tokens')} every ${wait('refill_period_ms')}`;
      return `${text('capacity')}, then ${refill} ${each}, else ${text('on_limit')}`;
    }
    case 'breaker': {
      const errors =
        text('error_threshold') === '0' ? [] : [`${text('error_threshold')} errors in ${wait('window_ms')}`];
      const repeats =
        text('repeat_threshold') === '0'
          ? []
          : [`${text('repeat_threshold')} repeats in ${wait('repeat_window_ms')}`];
      return `${[...errors, ...repeats].join(', ')} ${each}, then ${text('on_trip')}`;
    }
    case 'dedupe':
      return `once in ${wait('window_ms')} ${each}, else ${text('on_duplicate')}`;
    case 'ask':
      return of === 'project' ? REFUSES : 'asks a person';
    default:
      return textAt(rule, 'effect', 'reason_code');
  }
}

const REFUSES = 'refuses (a project asks nobody)';

const SCOPES: ReadonlyMap<string, string> = new Map([
  ['run', 'a run'],
  ['tool', 'a tool'],
  ['server_tool', 'a tool of a server'],
]);

const LIMITS = [
  ['limit_calls', 'calls'],
  ['limit_cost_units', 'cost units'],
  ['limit_write_actions', 'write actions'],
] as const;

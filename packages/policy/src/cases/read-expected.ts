import { DecisionAction, Severity, type JsonValue } from '@subluminal/core-types';
import type { Path } from '../problem/problem.js';
import { isTreeMap, type Tree } from '../source/tree.js';
import type { Expected } from './case-file.js';
import { type Fields, has, wordsOf } from './fields.js';

const TEXT_FIELDS = ['reason_code', 'summary'] as const;
const EXPECT_KEYS = [
  'action',
  'rule_id',
  ...TEXT_FIELDS,
  'severity',
  'backoff_ms',
  'tags',
  'hint',
  'terminate',
] as const;
const HINT_KEYS = ['hint_text', 'hint_kind', 'retry_advice', 'suggested_args'] as const;
const TERMINATE_KEYS = ['terminate_code', 'terminate_message'] as const;
const ACTIONS = wordsOf(DecisionAction);

/**
 * The expected outcome of a call: an action, or a mapping with one and the other members that are compared.
 */
export function readExpected(fields: Fields, value: Tree | undefined, path: Path): Expected {
  if (value === undefined || typeof value === 'string') {
    const action = value === undefined ? 'ALLOW' : fields.word(value, path, ACTIONS);
    return { action, fields: {}, hint: {} };
  }
  const map = fields.map(value, path, EXPECT_KEYS);
  if (isTreeMap(value) && !has(map, 'action')) {
    fields.missing(path, 'action', `add it with one of ${ACTIONS.map((one) => `\`${one}\``).join(', ')}`);
  }
  const wanted: Record<string, JsonValue> = {};
  for (const key of TEXT_FIELDS) if (has(map, key)) wanted[key] = fields.text(map[key], [...path, key]);
  if (has(map, 'rule_id')) {
    wanted['rule_id'] = map['rule_id'] === null ? null : fields.text(map['rule_id'], [...path, 'rule_id']);
  }
  if (has(map, 'severity'))
    wanted['severity'] = fields.word(map['severity'], [...path, 'severity'], wordsOf(Severity));
  if (has(map, 'backoff_ms')) {
    wanted['backoff_ms'] = fields.whole(map['backoff_ms'], [...path, 'backoff_ms'], Number.MAX_SAFE_INTEGER);
  }
  if (has(map, 'tags')) wanted['tags'] = [...fields.texts(map['tags'], [...path, 'tags'])].toSorted(byText);
  if (has(map, 'terminate')) {
    const terminate = fields.map(map['terminate'], [...path, 'terminate'], TERMINATE_KEYS);
    for (const key of TERMINATE_KEYS) {
      if (has(terminate, key)) wanted[key] = fields.text(terminate[key], [...path, 'terminate', key]);
    }
  }
  const action = has(map, 'action') ? fields.word(map['action'], [...path, 'action'], ACTIONS) : 'ALLOW';
  return { action, fields: wanted, hint: readHint(fields, map['hint'], [...path, 'hint']) };
}

function readHint(fields: Fields, value: Tree | undefined, path: Path): Readonly<Record<string, JsonValue>> {
  if (value === undefined) return {};
  const map = fields.map(value, path, HINT_KEYS);
  const wanted: Record<string, JsonValue> = {};
  for (const key of HINT_KEYS) if (has(map, key)) wanted[key] = fields.json(map[key]);
  return wanted;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

import { canonicalize, listAt, objectAt, textAt, type JsonValue } from '@subluminal/core-types';
import { wordFor } from '@subluminal/records';
import type { Surface } from '../output/style.js';
import { table, type Cell } from '../output/table.js';
import { effectText, type PolicyOf } from './effect-text.js';

const COLUMNS = [
  { title: 'RULE', max: 60, min: 20 },
  { title: 'KIND' },
  { title: 'SEVERITY', spare: 1 },
  { title: 'EFFECT', max: 60, min: 14 },
  { title: 'MATCH', max: 100, min: 22 },
] as const;

/** The rules of a policy in their order, and what becomes of a call that none decides. */
export function ruleLines(bundle: JsonValue, surface: Surface, of: PolicyOf): readonly string[] {
  const rules = listAt(bundle, 'rules');
  const otherwise = textAt(bundle, 'defaults', 'no_match');
  const rows =
    rules.length === 0
      ? []
      : [
          '',
          ...table(
            COLUMNS,
            rules.map((rule) => rowOf(rule, of)),
            surface,
          ),
        ];
  return [...rows, '', `no rule matches: ${wordFor(otherwise)}`];
}

function rowOf(rule: JsonValue, of: PolicyOf): readonly Cell[] {
  const disabled = textAt(rule, 'enabled') === 'false';
  const kind = textAt(rule, 'kind');
  return [
    { text: textAt(rule, 'rule_id') },
    disabled
      ? { text: `${kind} (off)`, tone: 'dim' }
      : { text: kind, tone: kind === 'deny' ? 'bad' : 'plain' },
    { text: textAt(rule, 'severity') },
    { text: effectText(objectAt({ rule }, 'rule'), of) },
    { text: canonicalize(objectAt(rule, 'match')) },
  ];
}

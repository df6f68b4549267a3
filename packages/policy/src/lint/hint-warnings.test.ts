import { expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';

const rule = (id: string, hint: string): string => `  - rule_id: ${id}
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['${id}*'] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: m${hint} }
`;
const warningsOf = (mode: string, ...hints: string[]) => {
  const rules = hints.map((hint, n) => rule(`rule-${n}`, hint)).join('');
  const head = `policy_id: p\nversion: '1'\nmode: ${mode}\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\n`;
  const result = compilePolicy(`${head}rules:\n${rules}`);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.warnings.map(({ code, message, line }) => [code, message, line]);
};
const HINT = ', hint_text: h';

it('hints that a mode does not give are one warning, at the first of them', () => {
  expect(warningsOf('guardrails', '', HINT, '', HINT, HINT)).toEqual([
    [
      'hint_needs_control',
      'the hints of rule `rule-1` and 2 more are given in mode `control` only; here they are plain blocks',
      18,
    ],
  ]);
  expect(warningsOf('guardrails', HINT)).toEqual([
    ['hint_needs_control', expect.stringContaining('the hint of rule `rule-0` is given in mode'), 12],
  ]);
  expect(warningsOf('control', HINT, HINT)).toEqual([]);
  expect(warningsOf('guardrails', '')).toEqual([]);
});

import { expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { listVerdict } from './list-verdict.js';

const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
const HIDE = { rule_id: 'hide', kind: 'deny', match: { tool_name: { glob: ['admin_*'] } }, hide: true };
const ALLOW = { rule_id: 'allow', kind: 'allow', match: { tool_name: { glob: ['admin_x'] } } };

function verdict(rules: readonly Record<string, unknown>[], tool: string, parts: object = {}): string {
  const written = rules.map(({ rule_id, kind, match, ...effect }) => {
    const action = kind === 'allow' ? 'ALLOW' : 'BLOCK';
    return {
      rule_id,
      kind,
      match,
      enabled: true,
      severity: 'info',
      effect: { action, reason_code: 'R', message: '', ...effect },
    };
  });
  const frame = {
    policy_id: 'p',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK' },
  };
  const result = compilePolicy(JSON.stringify({ ...frame, selectors: {}, rules: written, ...parts }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return listVerdict(result.snapshot, identity, 's', tool);
}

it('a deny that hides leaves out the tools that it surely refuses, and no other', () => {
  expect(verdict([HIDE], 'admin_x')).toBe('hide');
  expect(verdict([HIDE], 'get_x')).toBe('show');
  expect(verdict([{ ...HIDE, hide: false }], 'admin_x')).toBe('show');
  expect(verdict([ALLOW, HIDE], 'admin_x')).toBe('show');
  expect(verdict([ALLOW, HIDE], 'admin_y')).toBe('hide');
  expect(verdict([HIDE, ALLOW], 'admin_x')).toBe('hide');
  expect(verdict([{ ...ALLOW, match: { args: { has_keys: ['a'] } } }, HIDE], 'admin_x')).toBe('show');
  expect(verdict([{ ...ALLOW, overrides: ['hide'] }, HIDE], 'admin_x')).toBe('show');
  const other = { rule_id: 'other', kind: 'deny', match: {} };
  expect(verdict([{ ...ALLOW, overrides: ['other'] }, HIDE, other], 'admin_x')).toBe('hide');
});

it('nothing is hidden in observe mode, or from whom no policy selects', () => {
  expect(verdict([HIDE], 'admin_x', { mode: 'observe' })).toBe('show');
  expect(verdict([HIDE], 'admin_x', { selectors: { env: ['prod'] } })).toBe('show');
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ruleIn } from './rule-in.js';

const TEXT = `policy_id: shop
version: '1'
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-pushes
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: [push] } }
    effect: { action: BLOCK, reason_code: PUSH, message: '' }
`;

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-why-'));
  writeFileSync(at('policy.yaml'), TEXT);
  symlinkSync(at('policy.yaml'), at('link.yaml'));
  execFileSync('mkfifo', [at('pipe.yaml')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the rule of a policy is shown with its line', () => {
  for (const of of ['home', 'project'] as const)
    expect(ruleIn({ of, file: at('policy.yaml') }, 'no-pushes')?.rule).toMatchObject({ line: 7 });
});

it('of a project no link is followed, and no pipe is waited for', () => {
  expect(ruleIn({ of: 'home', file: at('link.yaml') }, 'no-pushes')).toBeDefined();
  for (const name of ['link.yaml', 'pipe.yaml'])
    expect(ruleIn({ of: 'project', file: at(name) }, 'no-pushes')).toBeUndefined();
});

import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { action } from '../../testing/events.js';
import type { Action } from '../event.js';
import { critique } from './critique.js';
import { drift } from './drift.js';
import { reread } from './reread.js';
import { formFit, structured } from './structured.js';
import { testsRun } from './tests-run.js';
import { thinking } from './thinking.js';

describe('evidence', () => {
  it('of thinking is a call of a tool that only thinks', () => {
    expect(thinking.evidence(action(1, 'mcp__st__sequentialthinking'))).toEqual({
      tool: 'sequentialthinking',
    });
    expect(thinking.evidence(action(1, 'mcp__st__think_of_files'))).toBeUndefined();
  });

  it('of a context that is read again is a text of that name, read to its end', () => {
    expect(reread.evidence(action(1, 'Read', 'docs/CLAUDE.md'))).toEqual({ file: 'CLAUDE.md' });
    expect(reread.evidence(action(1, 'Read', 'plan-of-work.md'))).toEqual({ file: 'plan-of-work.md' });
    expect(reread.evidence(action(1, 'Read', 'CLAUDE.md', { status: 'failed' }))).toBeUndefined();
    expect(reread.evidence(action(1, 'Read', 'src/planner.ts'))).toBeUndefined();
    expect(reread.evidence(action(1, 'Edit', 'CLAUDE.md'))).toBeUndefined();
  });

  it('of a look at the drift is what git says of changes', () => {
    expect(drift.evidence(action(1, 'Bash', 'cd api && git diff --stat'))).toEqual({ command: 'git diff' });
    expect(drift.evidence(action(1, 'Bash', 'git commit -m x'))).toBeUndefined();
    expect(drift.evidence(action(1, 'Bash', 'git diff', { status: 'failed' }))).toBeUndefined();
  });

  it('of a critique is a reviewer that was asked', () => {
    expect(critique.evidence(action(1, 'Task', 'code-reviewer'))).toEqual({ by: 'Task' });
    expect(critique.evidence(action(1, 'Skill', 'pr-review'))).toEqual({ by: 'Skill' });
    expect(critique.evidence(action(1, 'Task', 'previewer'))).toBeUndefined();
    expect(critique.evidence(action(1, 'Read', 'review.md'))).toBeUndefined();
  });

  it('of tests is that they ran, and says how they ended', () => {
    expect(testsRun.evidence(action(1, 'Bash', 'npm test', { status: 'failed' }))).toEqual({
      status: 'failed',
    });
    expect(testsRun.evidence(action(1, 'Bash', 'npm test', { status: undefined }))).toEqual({
      status: 'unknown',
    });
    expect(testsRun.evidence(action(1, 'Bash', 'ls test'))).toBeUndefined();
  });

  it('of a form is a call of its tool with each field filled, and a misfit says which were not', () => {
    const form = { tool: 'assess', fields: ['goal', 'risks'] };
    const of = (args: JsonObject | undefined, more: Partial<Action> = {}) => {
      const call = action(1, 'assess', undefined, { form: formFit(form, 'assess', args), ...more });
      return structured.evidence(call) ?? structured.misfit?.(call);
    };
    expect(of({ goal: 'g', risks: ['r'], more: 1 })).toEqual({ fits: true });
    expect(of({ goal: 'g', risks: [{ what: 'r' }] })).toEqual({ fits: true });
    expect(of({ goal: 'g', risks: [] })).toEqual({ lacks: ['risks'] });
    expect(of({ goal: ' ', risks: ['r', ' '] })).toEqual({ lacks: ['goal', 'risks'] });
    expect(of({ goal: 1, risks: { r: 1 } })).toEqual({ lacks: ['goal', 'risks'] });
    expect(of({ risks: [null] })).toEqual({ lacks: ['goal', 'risks'] });
    expect(of(undefined)).toEqual({ lacks: undefined });
    expect(of({ goal: 'g', risks: ['r'] }, { status: 'failed' })).toBeUndefined();
    expect(of({}, { status: 'failed' })).toBeUndefined();
  });

  it('of a form is no call of another tool, no inherited field, and nothing without a form', () => {
    const form = { tool: 'assess', fields: ['toString'] };
    expect(formFit(form, 'other', { toString: 'x' })).toBeUndefined();
    expect(formFit(undefined, 'assess', {})).toBeUndefined();
    expect(formFit(form, 'assess', {})).toEqual({ lacks: ['toString'] });
    expect(structured.misfit?.(action(1, 'assess'))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { action } from '../../testing/events.js';
import { critique } from './critique.js';
import { drift } from './drift.js';
import { reread } from './reread.js';
import { structured } from './structured.js';
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

  it('of a structured result is one with exactly the fields of the form, none of them empty', () => {
    const form = structured({ tool: 'assess', fields: { goal: 'text', risks: 'list' } });
    const of = (result: Parameters<typeof action>[3]): unknown =>
      form.evidence(action(1, 'assess', undefined, result));
    expect(of({ result: { goal: 'g', risks: ['r'] } })).toEqual({ fields: ['goal', 'risks'] });
    expect(of({ result: { goal: 'g', risks: [] } })).toBeUndefined();
    expect(of({ result: { goal: ' ', risks: ['r'] } })).toBeUndefined();
    expect(of({ result: { goal: 'g', risks: ['r'], more: 1 } })).toBeUndefined();
    expect(of({ result: ['g'] })).toBeUndefined();
    expect(of({ result: { goal: 'g', risks: ['r'] }, status: 'failed' })).toBeUndefined();
    expect(
      form.evidence(action(1, 'other', undefined, { result: { goal: 'g', risks: ['r'] } })),
    ).toBeUndefined();
  });
});

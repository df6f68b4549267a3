import { expect, it } from 'vitest';
import { type Acting, roleOf } from './roles.js';

const LEAD: Acting = { client: 'claude_hook', agent: 'lead', isSubagent: false, type: '' };
const NAMED = ['claude:lead', 'claude:lead/reviewer', 'codex:other'];

it('nobody is a director unless the operator names the agent of a run that they opened', () => {
  expect(roleOf([], LEAD)).toBe('worker');
  expect(roleOf(NAMED, LEAD)).toBe('director');
  expect(roleOf(NAMED, { ...LEAD, agent: undefined })).toBe('worker');
  expect(roleOf(NAMED, { ...LEAD, agent: 'lead ' })).toBe('worker');
});

it('another client, and calls that no hook tells of, are a worker’s', () => {
  for (const client of ['codex_hook', 'run', 'claude', ''])
    expect(roleOf(NAMED, { ...LEAD, client })).toBe('worker');
});

it('a subagent of a director is a worker, unless its type is named', () => {
  const sub = { ...LEAD, isSubagent: true };
  expect(roleOf(NAMED, sub)).toBe('worker');
  expect(roleOf(NAMED, { ...sub, type: 'builder' })).toBe('worker');
  expect(roleOf(NAMED, { ...sub, type: 'reviewer' })).toBe('director');
  // A name with a stroke is no way into the other form.
  expect(roleOf(NAMED, { ...LEAD, agent: 'lead/reviewer' })).toBe('worker');
});

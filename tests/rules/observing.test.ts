import { expect, it } from 'vitest';
import { Starter } from './starter.js';

/** The lists of a starter, and its rules behind those that only say of which kind a call is. */
function guardsOf(name: string): readonly string[] {
  const { source } = new Starter(name);
  const [lists, rules] = [source.indexOf('\nsets:'), source.indexOf('\nrules:')];
  return [source.slice(lists, rules), source.slice(source.indexOf('\n  # --- Kinds of calls'))];
}

it('the starter that only observes has the lists and the rules of the one for a laptop', () => {
  const [lists, rules] = guardsOf('observe-everything');
  expect(lists).toContain('credentials:');
  expect(rules).toContain('rule_id: outside-the-project');
  expect(guardsOf('observe-everything')).toEqual(guardsOf('developer-laptop'));
});

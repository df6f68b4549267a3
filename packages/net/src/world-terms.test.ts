import { expect, it } from 'vitest';
import { termsOfWorld, type WorldTerms } from './world-terms.js';

const terms: WorldTerms = { profile: 'p', refusal: () => undefined };
const worlds = {
  termsOf: (id: string, runId: string) => (id === 'w' && runId === 'r' ? terms : undefined),
};

it('a request from a world goes by the terms of that world of its run', () => {
  expect(termsOfWorld(worlds, 'r', { via: 'world', world_id: 'w' })).toBe(terms);
});

it.each([
  ['names none', 'r', undefined],
  ['names one that is not open', 'r', 'other'],
  ['names one of another run', 'other', 'w'],
  ['is of no run', undefined, 'w'],
])('a request from a world that %s goes by none, and is refused', (_name, runId, id) => {
  expect(termsOfWorld(worlds, runId, { via: 'world', world_id: id })).toBe('gone');
});

it('a request of the proxy has no world, and is refused where it names one', () => {
  expect(termsOfWorld(worlds, 'r', { via: 'connect' })).toBeUndefined();
  expect(termsOfWorld(worlds, 'r', { via: 'connect', world_id: 'w' })).toBe('gone');
});

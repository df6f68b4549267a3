import { parseJson } from '@subluminal/core-types';
import { describe, expect, test } from 'vitest';
import { differingMembers, readDefinition } from './definition.js';

const READ = { name: 'read', description: 'reads', inputSchema: { type: 'object' } };

describe('a definition', () => {
  test('has the same hash in every order, and another for every member', () => {
    const { hash } = readDefinition(READ) ?? {};
    expect(
      readDefinition({ inputSchema: { type: 'object' }, description: 'reads', name: 'read' })?.hash,
    ).toBe(hash);
    for (const more of [{ title: 'x' }, { execution: {} }, { other: null }, { Name: 'read' }]) {
      expect(readDefinition({ ...READ, ...more })?.hash).not.toBe(hash);
    }
    expect(readDefinition({ ...READ, _meta: { a: 1 }, icons: [] })?.hash).toBe(hash);
  });

  test('tells numbers apart that a double would round', () => {
    const hashes = ['18446744073709551615', '18446744073709551616', '1.8446744073709552e19'].map(
      (maximum) => readDefinition(parseJson(`{"name":"a","inputSchema":{"maximum":${maximum}}}`))?.hash,
    );
    expect(new Set(hashes).size).toBe(3);
  });

  test('has the same shape under another name, and only then', () => {
    const shape = readDefinition(READ)?.shape;
    expect(readDefinition({ ...READ, name: 'fetch' })?.shape).toBe(shape);
    expect(readDefinition({ ...READ, name: 'fetch', description: 'fetches' })?.shape).not.toBe(shape);
  });

  test('that has no name, or one that is too long, is none', () => {
    for (const value of [null, 1, 'read', [], {}, { name: 1 }, { name: '' }, { name: 'x'.repeat(513) }]) {
      expect(readDefinition(value)).toBeUndefined();
    }
  });

  test('is riskier for what its annotations say, and never safer', () => {
    const raised = (annotations: object) =>
      readDefinition({ ...READ, annotations: { ...annotations } })?.raised;
    expect(raised({ destructiveHint: true })).toEqual(['write_like']);
    expect(raised({ openWorldHint: true, destructiveHint: true })).toEqual(['write_like', 'network_like']);
    expect(raised({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })).toEqual([]);
    expect(raised({ readOnlyHint: true, destructiveHint: true })).toEqual(['write_like']);
    expect(raised({ destructiveHint: 'true' })).toEqual([]);
  });
});

test('members that differ are named, those that are gone or new as well', () => {
  expect(differingMembers(READ, { ...READ, description: 'x', title: 'y' })).toEqual(['description', 'title']);
  expect(differingMembers(READ, { name: 'read', description: 'reads' })).toEqual(['inputSchema']);
  expect(
    differingMembers(READ, { inputSchema: { type: 'object' }, description: 'reads', name: 'read' }),
  ).toEqual([]);
});

import { assert, property, tuple, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectTexts } from '../../../../testing/json-text.js';
import {
  applyEdits,
  insertAfter,
  insertFirst,
  insertFirstMember,
  removeMember,
  replaceValue,
} from './edit.js';
import { JSONC, readJson } from './read.js';
import { memberOf, nodeAt, type JsonMember, type ObjectNode } from './tree.js';

const FILE = '{\r\n\t"a": {"b" : [ // c\n\t\t"x"\n\t], },\r\n\t"d": 12345678901234567890\r\n}';

describe('edits', () => {
  it('change the place that they name and nothing else', () => {
    const root = object(FILE);
    const list = nodeAt(root, ['a', 'b']);
    if (list === undefined) throw new Error('no list');
    expect(applyEdits(FILE, [insertFirst(FILE, list, ['1', '2'])])).toBe(
      '{\r\n\t"a": {"b" : [ 1, 2, // c\n\t\t"x"\n\t], },\r\n\t"d": 12345678901234567890\r\n}',
    );
    expect(applyEdits(FILE, [replaceValue(list, 'null')])).toBe(
      '{\r\n\t"a": {"b" : null, },\r\n\t"d": 12345678901234567890\r\n}',
    );
  });

  it('put a member where another one stands, laid out as that one', () => {
    expect(applyEdits(FILE, [insertAfter(FILE, member(FILE, 'd'), 'e', '[]')])).toBe(
      FILE.replace('890\r\n}', '890,\r\n\t"e": []\r\n}'),
    );
    expect(applyEdits(FILE, [insertFirstMember(FILE, object(FILE), 'e', '1')])).toBe(
      FILE.replace('{\r\n\t"a"', '{\r\n\t"e": 1,\r\n\t"a"'),
    );
  });

  it.each([
    ['{"a": 1}', 'a', '{}'],
    ['{"a": 1, }', 'a', '{ }'],
    ['{"a": 1, "b": 2}', 'a', '{ "b": 2}'],
    ['{"a": 1, "b": 2}', 'b', '{"a": 1}'],
    ['{"a": 1 /* , */ , "b": 2,}', 'b', '{"a": 1 /* , */  ,}'],
    ['{\n  "a": 1,\n  // about b\n  "b": 2\n}', 'b', '{\n  "a": 1\n  // about b\n  \n}'],
  ])('take a member out of %j', (text, key, left) => {
    expect(applyEdits(text, removeMember(text, object(text), member(text, key)))).toBe(left);
  });

  it('leave every other member as it was, in any layout', () => {
    assert(
      property(tuple(objectTexts(true), nat()), ([{ text }, pick]) => {
        const root = object(text);
        const one = root.members[pick % Math.max(1, root.members.length)];
        if (one === undefined) return;
        const others = sources(text).filter(([key]) => key !== one.key);
        expect(sources(applyEdits(text, removeMember(text, root, one)))).toEqual(others);
        const key = `${root.members.map((each) => each.key).join('')}+`;
        const added = sources(applyEdits(text, [insertAfter(text, one, key, '"new"')]));
        expect(added.filter((each) => each[0] !== key)).toEqual(sources(text));
        expect(added.find((each) => each[0] === key)?.[1]).toBe('"new"');
        expect(sources(applyEdits(text, [insertFirstMember(text, root, key, '[1]')]))).toEqual([
          [key, '[1]'],
          ...sources(text),
        ]);
      }),
    );
  });

  it('are refused where they overlap', () => {
    expect(() =>
      applyEdits('abc', [
        { start: 0, end: 2, text: '' },
        { start: 1, end: 3, text: '' },
      ]),
    ).toThrow(RangeError);
  });
});

function sources(text: string): readonly (readonly [string, string])[] {
  return object(text).members.map(({ key, value }) => [key, text.slice(value.start, value.end)]);
}

function object(text: string): ObjectNode {
  const root = readJson(text, JSONC);
  if (root?.kind !== 'object') throw new Error('no object');
  return root;
}

function member(text: string, key: string): JsonMember {
  const found = memberOf(object(text), key);
  if (found === undefined) throw new Error('no member');
  return found;
}

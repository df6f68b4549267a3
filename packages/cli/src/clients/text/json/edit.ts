import { createScanner } from 'jsonc-parser';
import type { JsonMember, JsonNode, ObjectNode } from './tree.js';

/** The characters from `start` up to `end` become `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with edits done; all that lies outside of their spans stays. They must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  const parts: string[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at || edit.end < edit.start) throw new RangeError('edits overlap');
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return [...parts, text.slice(at)].join('');
}

/** Puts other text in the place of a value. */
export function replaceValue(node: JsonNode, text: string): Edit {
  return { start: node.start, end: node.end, text };
}

/** Puts texts of values before the first item of a list, on the line of that item. */
export function insertFirst(text: string, list: JsonNode, values: readonly string[]): Edit {
  const at = list.start + 1;
  const isEmpty = list.kind !== 'array' || list.items.length === 0;
  const space = isEmpty ? '' : spaceAt(text, at);
  const inserted = values.join(', ');
  // Behind the white space that leads the first item, so that only one line differs.
  const start = at + space.length;
  if (isEmpty) return { start, end: start, text: inserted };
  const next = space.includes('\n') || space.includes('\r') ? space : ' ';
  return { start, end: start, text: `${inserted},${next}` };
}

/** Puts a member behind another one, laid out like that one. */
export function insertAfter(text: string, member: JsonMember, key: string, value: string): Edit {
  const at = member.value.end;
  const lead = spaceBefore(text, member.keyStart);
  const between = text.slice(member.keyEnd, member.value.start);
  const colon = /^[ \t]*:[ \t]*$/.test(between) ? between : ': ';
  return { start: at, end: at, text: `,${lead === '' ? ' ' : lead}${JSON.stringify(key)}${colon}${value}` };
}

/** Puts a member before the first one of an object, which may have none. */
export function insertFirstMember(text: string, object: ObjectNode, key: string, value: string): Edit {
  const [first] = object.members;
  const at = object.start + 1;
  if (first === undefined) return { start: at, end: at, text: `${JSON.stringify(key)}: ${value}` };
  const lead = spaceBefore(text, first.keyStart);
  const between = text.slice(first.keyEnd, first.value.start);
  const colon = /^[ \t]*:[ \t]*$/.test(between) ? between : ': ';
  return {
    start: first.keyStart,
    end: first.keyStart,
    text: `${JSON.stringify(key)}${colon}${value},${lead === '' ? ' ' : lead}`,
  };
}

/**
 * Takes a member out, with the comma that set it off and, where no comment stands there, the white space
 * before it. The library's own `modify` would take comments too.
 */
export function removeMember(text: string, object: ObjectNode, member: JsonMember): readonly Edit[] {
  const index = object.members.findIndex(({ keyStart }) => keyStart === member.keyStart);
  const before = object.members[index - 1];
  const after = object.members[index + 1];
  // The white space behind a comment may be what ends it.
  const isPlain = /^[\s,]*$/.test(text.slice(before?.value.end ?? object.start + 1, member.keyStart));
  const lead = isPlain ? spaceBefore(text, member.keyStart).length : 0;
  const cut = { start: member.keyStart - lead, end: member.value.end, text: '' };
  // Behind the last member only a trailing comma can stand, which goes on trailing the one before.
  const set = after === undefined && before !== undefined ? before : member;
  return [...comma(text, set.value.end), cut];
}

/** Takes an item out of a list without comments, with the comma that set it off. */
export function removeItem(list: JsonNode, index: number): Edit {
  const items = list.kind === 'array' ? list.items : [];
  const [before, item, after] = [items[index - 1], items[index], items[index + 1]];
  if (item === undefined) throw new RangeError('there is no such item');
  if (index > 0 && before !== undefined) return { start: before.end, end: item.end, text: '' };
  if (after !== undefined) return { start: item.start, end: after.start, text: '' };
  return { start: list.start + 1, end: list.end - 1, text: '' };
}

/** The removal of the comma behind a value, past white space and comments, where there is one. */
function comma(text: string, from: number): readonly Edit[] {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text.charAt(at) === ',' ? [{ start: at, end: at + 1, text: '' }] : [];
}

function spaceAt(text: string, from: number): string {
  let at = from;
  while (isSpace(text.charAt(at))) at += 1;
  return text.slice(from, at);
}

function spaceBefore(text: string, end: number): string {
  let at = end;
  while (isSpace(text.charAt(at - 1))) at -= 1;
  return text.slice(at, end);
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

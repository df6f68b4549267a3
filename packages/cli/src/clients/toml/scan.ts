import { Cursor } from './cursor.js';
import type { HeaderNode, InlineNode, KeyPart, PairNode, SectionNode, ValueNode } from './nodes.js';
import { readString } from './strings.js';

/** Deeper than any client's configuration, shallow enough for the stack. */
const DEEPEST = 100;
const BOM = '\uFEFF';

/**
 * Where everything in a TOML text stands. A superset of TOML 1.1: what is valid is for the library that every text is
 * held against (`document.ts`). Throws `TomlSyntax`.
 */
export function scanToml(text: string): readonly SectionNode[] {
  const cursor = new Cursor(text);
  cursor.takes(BOM);
  const sections: SectionNode[] = [];
  let header: HeaderNode | undefined;
  let pairs: PairNode[] = [];
  for (;;) {
    passVoid(cursor);
    if (cursor.atEnd) break;
    if (cursor.sees('[')) {
      sections.push({ header, pairs });
      header = readHeader(cursor);
      pairs = [];
    } else {
      pairs.push(readPair(cursor, 0));
    }
    cursor.passes(/[ \t]*(?:#[^\r\n]*)?/y);
    if (!cursor.atEnd && cursor.passes(/\r?\n/y) === '') cursor.fail('a line goes on behind its value');
  }
  return [...sections, { header, pairs }];
}

/** One value and nothing around it. Throws `TomlSyntax`. */
export function scanValue(text: string): ValueNode {
  const cursor = new Cursor(text);
  const value = readValue(cursor, 0);
  if (!cursor.atEnd) cursor.fail('something stands behind the value');
  return value;
}

/** Blanks, newlines and comments. */
function passVoid(cursor: Cursor): void {
  while (cursor.passes(/[ \t]+|\r?\n|#[^\r\n]*/y) !== '');
}

function readHeader(cursor: Cursor): HeaderNode {
  const start = cursor.at;
  cursor.needs('[');
  const list = cursor.takes('[');
  cursor.passes(/[ \t]*/y);
  const path = readKey(cursor);
  cursor.passes(/[ \t]*/y);
  cursor.needs(list ? ']]' : ']');
  return { start, end: cursor.at, path, list };
}

/** One or more parts with dots between; the cursor stands right behind the last. */
function readKey(cursor: Cursor): readonly KeyPart[] {
  const parts: KeyPart[] = [];
  for (;;) {
    const start = cursor.at;
    const text = cursor.sees('"') || cursor.sees("'") ? readString(cursor) : cursor.passes(/[A-Za-z0-9_-]+/y);
    if (cursor.at === start) cursor.fail('a key is missing');
    parts.push({ text, start, end: cursor.at });
    const behind = cursor.at;
    cursor.passes(/[ \t]*/y);
    if (!cursor.takes('.')) {
      cursor.at = behind;
      return parts;
    }
    cursor.passes(/[ \t]*/y);
  }
}

function readPair(cursor: Cursor, depth: number): PairNode {
  const start = cursor.at;
  const key = readKey(cursor);
  cursor.passes(/[ \t]*/y);
  cursor.needs('=');
  cursor.passes(/[ \t]*/y);
  const value = readValue(cursor, depth);
  return { start, end: value.end, key, value };
}

function readValue(cursor: Cursor, depth: number): ValueNode {
  if (depth > DEEPEST) cursor.fail('values are nested too deep');
  const start = cursor.at;
  if (cursor.sees('"') || cursor.sees("'")) {
    const text = readString(cursor);
    return { kind: 'string', text, start, end: cursor.at };
  }
  if (cursor.takes('[')) {
    const { members, commas } = readMembers(cursor, ']', () => readValue(cursor, depth + 1));
    return { kind: 'array', items: members, commas, start, end: cursor.at };
  }
  if (cursor.takes('{')) return readInline(cursor, start, depth);
  // A date and a time may have one blank between them.
  cursor.passes(/\d{4}-\d{2}-\d{2} \d{2}:[^\s,#\]}]+|[^\s,#[\]{}"'=]+/y);
  if (cursor.at === start) cursor.fail('a value is missing');
  return { kind: 'scalar', start, end: cursor.at };
}

function readInline(cursor: Cursor, start: number, depth: number): InlineNode {
  const { members, commas } = readMembers(cursor, '}', () => readPair(cursor, depth + 1));
  return { kind: 'inline', pairs: members, commas, start, end: cursor.at };
}

/** What stands between brackets, up to and with the closing one. */
function readMembers<T>(
  cursor: Cursor,
  close: ']' | '}',
  read: () => T,
): { readonly members: readonly T[]; readonly commas: readonly number[] } {
  const members: T[] = [];
  const commas: number[] = [];
  for (;;) {
    passVoid(cursor);
    if (cursor.takes(close)) return { members, commas };
    members.push(read());
    passVoid(cursor);
    if (cursor.sees(',')) {
      commas.push(cursor.at);
      cursor.at += 1;
    } else if (!cursor.sees(close)) {
      cursor.fail(`\`,\` or \`${close}\` is missing`);
    }
  }
}
